import path from 'node:path';
import { toVisibleLine } from '../../base/text/visibleText.ts';
import type { CommandIo } from '../command.ts';
import { type Acceptances, ruleHash } from '../config/acceptance.ts';
import { toConfiguration } from '../config/configuration.ts';
import { userSettingsFile } from '../config/dataFolder.ts';
import { readSettingsFiles } from '../config/settingsFiles.ts';
import { listAllowRules } from '../config/workspaceRules.ts';

/** Whether the path is that of a workspace's settings file, whose rules can be accepted. */
export function isSettingsFile(file: string): boolean {
  return file.endsWith(path.join(path.sep, '.vscode', 'settings.json'));
}

/**
 * Accepts the allow rules of a workspace's settings file as they are now, each by its hash as the editor
 * does, or revokes them. Its other settings stay as they are. False if it has none.
 */
export function acceptRules(
  file: string,
  {
    acceptances,
    accepted,
    io,
  }: { readonly acceptances: Acceptances; readonly accepted: boolean; readonly io: CommandIo },
): boolean {
  const folder = path.dirname(path.dirname(file));
  const read = () =>
    listAllowRules(
      toConfiguration(
        readSettingsFiles(userSettingsFile(io.env), folder, acceptances),
        acceptances,
        io.env,
      ),
      file,
    );
  const rules = read();
  if (rules.length === 0) {
    io.stderr.write(`${toVisibleLine(`${file}: has no rule that allows something`)}\n`);
    return false;
  }
  for (const { rule } of rules) acceptances.accept(file, ruleHash(rule), accepted);
  acceptances.keepRules(
    file,
    read().flatMap(({ rule, accepted: has }) => (has ? [rule] : [])),
  );
  io.stdout.write(`${toVisibleLine(`${accepted ? 'accepted' : 'revoked'} ${file}`)}\n`);
  for (const { rule } of rules) {
    io.stdout.write(`${toVisibleLine(`  allow ${rule.permission}(${rule.pattern})`)}\n`);
  }
  return true;
}
