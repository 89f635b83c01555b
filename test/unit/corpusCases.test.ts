import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

// The areas of the corpus whose cases are faults, not calls: each case has the test that holds it. The others are
// read from the corpus by their own tests.

const UNIT = import.meta.dirname;
const CORPUS = path.join(UNIT, '../fixtures/adversarial.json');

/** A file below `test/unit`, and a part of the name of a test in it. */
type Held = readonly [file: string, name: string];

const PROTOCOL = 'host/protocolFaults.test.ts';
const SHAPES = 'runtime/commands/processTree.test.ts';
const FAULTS = 'agent/turnFaults.test.ts';
const TURN = 'agent/runTurn.test.ts';
const HOSTILE = 'mcp/hostile.test.ts';
const DAMAGE = 'recorder/file/damage.test.ts';
const FILES = 'runtime/files.test.ts';
const SHELL = 'runtime/commands/shell.test.ts';

const TESTS: Readonly<Record<string, Held>> = {
  ...named(PROTOCOL, 'PR-001 PR-002 PR-003 PR-004 PR-005 PR-006 PR-007 PR-008 PR-010 PR-011'),
  ...named(PROTOCOL, 'PR-012 PR-013 PR-014 PR-032 PR-033 PR-035 PR-036'),
  'PR-015': ['extension/views/framePoster.test.ts', 'PR-015'],
  'PR-016': ['extension/host/hostLink.test.ts', 'PR-016'],
  'PR-019': ['extension/host/hostProcess.test.ts', 'a crash is reported with exit code'],
  'PR-021': ['extension/host/acpClient.test.ts', 'PR-021'],
  'PR-023': ['host/asks/asks.test.ts', 'PR-023'],
  'PR-024': ['extension/asks/permissionAsk.test.ts', 'PR-024'],
  'PR-025': ['extension/host/acpClient.test.ts', 'PR-025'],
  'PR-030': ['extension/chat/transcript.test.ts', 'PR-030'],
  'PR-031': ['extension/chat/transcript.test.ts', 'PR-031'],
  'PR-038': ['host/client/terminals.test.ts', 'PR-038'],
  'PR-041': [HOSTILE, 'PR-041'],
  'PR-043': ['mcp/realServers.test.ts', 'changes after its acceptance waits again'],
  'PR-044': [HOSTILE, 'names that no tool may have, or twice, are held'],
  'PR-045': ['mcp/session.test.ts', 'whatever the server says of its effects'],
  'PR-046': ['mcp/remoteSchema.test.ts', 'PR-046'],
  'PR-047': ['host/asks/asks.test.ts', 'PR-047'],
  'PR-048': [HOSTILE, 'a server that died: calls fail at once'],
  'PR-049': [FAULTS, 'a cancel ends the wait before a retry'],
  'PR-050': [TURN, 'the request after a fault does not repeat streamed text'],
  'PR-052': [FAULTS, 'an endpoint that stops sending stalls the turn'],
  'PR-053': [TURN, 'arguments that are not JSON'],
  'PR-054': [TURN, 'calls left open by a broken stream end with an error and do not run'],
  'PR-055': [TURN, 'gives every call the same id gets unique ones back'],
  'PR-057': [TURN, 'a call of an unknown tool'],
  'PR-058': [TURN, 'calls left open by a broken stream'],
  'PR-059': ['host/turns.test.ts', 'PR-059'],
  'PR-060': ['agent/bounds.test.ts', 'is read as far as its bound, in little memory'],
  'PR-061': ['agent/callInput.test.ts', '__proto__'],
  'DU-001': ['runtime/kill.test.ts', 'a writer killed at any time leaves each file whole'],
  'DU-002': ['tools/diskFull.test.ts', 'each call says so, nothing is lost, and nothing is left'],
  'DU-004': [FILES, 'write keeps mode, links, line ends, byte order mark'],
  'DU-005': [FILES, 'write keeps mode, links, line ends, byte order mark'],
  'DU-006': ['runtime/owner.test.ts', 'read-only'],
  'DU-009': [FILES, 'a byte order mark'],
  'DU-011': [FILES, 'bytes of no known encoding'],
  'DU-013': [FILES, 'no final newline'],
  'DU-016': ['runtime/files/localFiles.test.ts', 'changed after it was read is a conflict'],
  'DU-018': ['host/killedHosts.test.ts', 'kills of a host in its turns lose no finished part'],
  'DU-019': ['host/simulatedDay.test.ts', 'restarts and two windows loses nothing'],
  'DU-020': [DAMAGE, 'is set aside whole, salvaged, and said'],
  'DU-021': ['recorder/durability.test.ts', 'kills of a writing process lose no acknowledged row'],
  'DU-023': ['recorder/fullDisk.test.ts', 'DU-023'],
  'DU-024': ['recorder/database.test.ts', 'a file from a newer version is not changed'],
  'DU-025': ['recorder/database.test.ts', 'use a write-ahead log'],
  'DU-026': [SHAPES, 'leaves nothing behind after'],
  'DU-027': [SHAPES, 'leaves nothing behind after'],
  'DU-028': [SHAPES, 'leaves nothing behind after'],
  'DU-029': ['host/ending.test.ts', 'the host ends with all it started'],
  'DU-030': ['runtime/commands/processShapes.ts', 'setsid'],
  'DU-032': [SHELL, 'a flood does not fill the pane, and every byte is in the sidecar'],
  'DU-035': [SHELL, 'a command in the foreground has no input to read from'],
  'DU-036': ['runtime/sidecars.test.ts', 'DU-036'],
  'DU-037': ['host/plantedSecrets.test.ts', 'of twenty planted secrets, none is found'],
};

/** Cases that no test holds, and why. */
const NONE: Readonly<Record<string, string>> = {
  'PR-017':
    'session/new may wait 30 s for a locked history, and Stop ends the wait; no limit of its own',
  'PR-018': 'the host is ours and cancels; for one that hangs there is Restart Host',
  'PR-022': 'one host serves all sessions of a window, so a request for another one is its own',
  'PR-026': 'a hosted agent: not hosted yet; its operations pass the gate (gate/passGate.test.ts)',
  'PR-027': 'a hosted agent: not hosted yet',
  'PR-028': 'a hosted agent: not hosted yet; protected files ask (permissions/touches.test.ts)',
  'PR-029': 'a hosted agent: not hosted yet',
  'PR-037': 'a hosted agent: not hosted yet; of our own host the last 2,000 characters are kept',
  'DU-022':
    'no network file system in the test environment; recorder/file/networkFolder.ts decides',
  'DU-031': 'Windows is not supported yet',
};

const { cases }: { readonly cases: readonly { readonly id: string; readonly area: string }[] } =
  JSON.parse(readFileSync(CORPUS, 'utf8'));

for (const { id } of cases.filter(({ area }) => area === 'protocol' || area === 'durability')) {
  test(`${id} is held by a test, or has a reason`, () => {
    const held = TESTS[id];
    assert.equal((held === undefined) !== (NONE[id] === undefined), true);
    if (held === undefined) return;
    const [file, name] = held;
    assert.ok(readFileSync(path.join(UNIT, file), 'utf8').includes(name), `${file}: ${name}`);
  });
}

function named(file: string, ids: string): Readonly<Record<string, Held>> {
  return Object.fromEntries(ids.split(' ').map((id) => [id, [file, id]] as const));
}
