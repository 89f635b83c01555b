import assert from 'node:assert/strict';
import { Server } from 'node:net';
import * as vscode from 'vscode';
import { COMMANDS } from '../../src/extension/commands.ts';
import { listeningPorts } from '../workbench/listening.ts';
import { until } from '../workbench/processes.ts';
import { hostsBelow, languageServersBelow } from './hosts.ts';

const ID = 'gatehouse.gatehouse';

// These run in order and before all other suites, because of the file's name.
suite('activation', () => {
  const opened = recordListening();

  test('startup does not activate Gatehouse: only its views, commands and documents do', () => {
    const extension = vscode.extensions.getExtension(ID);
    assert.ok(extension);
    // Tests don't depend on other extensions: one may have opened a JSON document, such as npm with
    // package.json, and so have activated Gatehouse.
    const events: readonly string[] = extension.packageJSON.activationEvents;
    assert.ok(events.length > 0);
    for (const event of events) assert.match(event, /^on(?!StartupFinished)[A-Z]\w*:|^onUri$/);
  });

  test('opening a workspace starts no process, even when a JSON document has woken Gatehouse', async () => {
    const [file] = await vscode.workspace.findFiles('package.json');
    assert.ok(file);
    await vscode.workspace.openTextDocument(file);
    await until('activation', () => vscode.extensions.getExtension(ID)?.isActive || undefined);
    assert.deepEqual(hostsBelow(process.pid), []);
    assert.deepEqual(languageServersBelow(process.pid), []);
  });

  test('every command is in the palette from the start', async () => {
    const known = new Set(await vscode.commands.getCommands(true));
    await vscode.extensions.getExtension(ID)?.activate();
    const active = new Set(await vscode.commands.getCommands(true));
    for (const command of Object.keys(COMMANDS)) assert.ok(active.has(command), command);
    assert.ok(known.size > 0);
  });

  test('activation alone starts no host', () => {
    assert.deepEqual(hostsBelow(process.pid), []);
  });

  test('opening the chat starts one host, which gets no port to listen on', async () => {
    await vscode.commands.executeCommand('gatehouse.openChat');
    const host = await until('the host', () => hostsBelow(process.pid)[0]);
    assert.equal(hostsBelow(process.pid).length, 1);
    assert.deepEqual(listeningPorts(host), []);
    assert.deepEqual(opened, []);
  });
});

/**
 * Where Gatehouse lets a server listen in this process from now on. The process is that of other
 * extensions too, so its open ports alone would say nothing.
 */
function recordListening(): readonly string[] {
  const places: string[] = [];
  const root = vscode.extensions.getExtension(ID)?.extensionPath ?? '';
  const { listen } = Server.prototype;
  Server.prototype.listen = function (this: Server, ...given: unknown[]): Server {
    const stack = new Error().stack ?? '';
    if (stack.includes(`${root}/dist/`)) places.push(stack);
    return Reflect.apply(listen, this, given);
  };
  return places;
}
