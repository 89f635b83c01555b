import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { applyEdits, modify } from 'jsonc-parser';
import { type Clock, systemClock } from '../base/clock.ts';
import type { Rule } from '../permissions/rule.ts';
import { type Acceptances, ruleHash } from './acceptance.ts';
import type { Client } from './client.ts';
import type { ConfigurationStore } from './configurationStore.ts';
import type { Destination, NewRule } from './permissionRequest.ts';
import { workspaceSettingsFile } from './settingsFiles.ts';

/** Keeps the rules of "always" answers where the user wanted them (CS-69, decision 12). */
export interface RuleStore {
  /** The places that can be written here and now. */
  destinations(): readonly Destination[];
  remember(
    session: { readonly cwd: string; addRules(rules: readonly Rule[]): void },
    destination: Destination,
    rules: readonly NewRule[],
  ): Promise<void>;
}

export function createRuleStore(options: {
  readonly client: Client;
  readonly configuration: ConfigurationStore;
  readonly acceptances: Acceptances;
  readonly userFile: string;
  /** Tells the log; the call itself goes on. */
  warn(message: string): void;
  readonly clock?: Clock;
}): RuleStore {
  const { client, configuration, acceptances, userFile, warn, clock = systemClock } = options;

  async function save(
    cwd: string,
    destination: 'workspace' | 'user',
    rule: NewRule,
  ): Promise<void> {
    try {
      const file = client.facts.saveRule
        ? await saveThroughClient(client, rule, destination)
        : saveInFile(destination === 'user' ? userFile : workspaceSettingsFile(cwd), rule);
      // The user has just said yes to exactly this rule, so it is accepted where it landed.
      if (destination === 'workspace' && file !== undefined) {
        acceptances.accept(file, ruleHash(rule), true);
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      warn(`The rule ${rule.permission} ${rule.pattern} was not saved: ${reason}`);
    }
  }

  return {
    // Plain clients keep to the protocol's own meaning: a session rule (CS-69).
    destinations: () =>
      client.facts.gatehouse && client.facts.saveRule
        ? ['session', 'workspace', 'user']
        : ['session'],
    async remember(session, destination, rules) {
      const added_at = clock.now();
      if (destination === 'session') {
        session.addRules(rules.map((rule) => ({ ...rule, source: 'session', added_at })));
        return;
      }
      // It counts from now on, also when the file cannot be written: the user has said yes.
      configuration.addMeanwhile(rules.map((rule) => ({ ...rule, source: 'project', added_at })));
      for (const rule of rules) await save(session.cwd, destination, rule);
      configuration.refresh();
    },
  };
}

async function saveThroughClient(
  client: Client,
  rule: NewRule,
  destination: 'workspace' | 'user',
): Promise<string | undefined> {
  const reply = await client.peer.request<unknown>('_gatehouse/save_rule', { rule, destination });
  if (typeof reply !== 'object' || reply === null || !('file' in reply)) return undefined;
  return typeof reply.file === 'string' ? reply.file : undefined;
}

/** Adds the rule at the end of `gatehouse.permissions` and keeps every comment of the file. */
export function saveInFile(file: string, rule: NewRule): string {
  const before = readText(file);
  const formattingOptions = { insertSpaces: true, tabSize: 2 };
  const edits = modify(before, ['gatehouse.permissions', -1], rule, {
    formattingOptions,
    isArrayInsertion: true,
  });
  mkdirSync(path.dirname(file), { recursive: true });
  const next = `${file}.${process.pid}.new`;
  writeFileSync(next, applyEdits(before, edits));
  renameSync(next, file);
  return file;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '{}\n';
  }
}
