import { type Clock, systemClock } from '../../base/clock.ts';
import { getMessage } from '../../base/faults.ts';
import type { Rule } from '../../permissions/rules/rule.ts';
import type { Client } from '../client/client.ts';
import { requestClient } from '../client/requestClient.ts';
import { type Acceptances, ruleHash } from '../config/acceptance.ts';
import type { ConfigurationStore } from '../config/configurationStore.ts';
import { keepAccepted } from '../config/workspaceRules.ts';
import type { Destination, NewRule } from './options.ts';

/** Stores the rules of "always" answers in the scope that the user chose (spec CS-69, decision 12). */
export interface RuleStore {
  /** The scopes that can currently be written. */
  destinations(): readonly Destination[];
  remember(
    session: { addRules(rules: readonly Rule[]): void },
    destination: Destination,
    rules: readonly NewRule[],
    identity?: string,
  ): Promise<void>;
  /** Whether the user stored the rule for the tool of a workspace with this identity. */
  isStoredFor(rule: NewRule, identity: string): boolean;
  /** Drops a rule that was saved to settings, and its acceptance in `file`. */
  drop(rule: NewRule, file?: string): void;
}

export function createRuleStore(options: {
  readonly client: Client;
  readonly configuration: ConfigurationStore;
  readonly acceptances: Acceptances;
  /** What the tools are kept under that rules were stored for. A path of no file. */
  readonly boundKey: string;
  /** Logs a failed save; the call itself continues. */
  warn(message: string): void;
  readonly clock?: Clock;
}): RuleStore {
  const { client, configuration, acceptances, warn, clock = systemClock } = options;
  const bind = (rules: readonly NewRule[], identity: string) => {
    try {
      const hashes = rules.map((rule) => toBoundHash(rule, identity));
      acceptances.acceptAll(options.boundKey, hashes);
    } catch (error) {
      warn(`For which tool a rule was stored can't be kept: ${getMessage(error)}`);
    }
  };

  async function save(rule: NewRule, destination: 'workspace' | 'user'): Promise<void> {
    try {
      const file = await saveThroughClient(client, rule, destination);
      // The user has just approved exactly this rule, so it is accepted in the file that holds it.
      if (destination === 'workspace' && file !== undefined) {
        acceptances.accept(file, ruleHash(rule), true);
        configuration.refresh();
        keepAccepted(configuration, acceptances, file);
      }
    } catch (error) {
      const reason = getMessage(error);
      warn(`The rule ${rule.permission} ${rule.pattern} was not saved: ${reason}`);
    }
  }

  return {
    // For plain ACP clients, "always" means a session rule (spec CS-69).
    destinations: () =>
      client.facts.gatehouse && client.facts.saveRule
        ? ['session', 'workspace', 'user']
        : ['session'],
    isStoredFor: (rule, identity) => acceptances.has(options.boundKey, toBoundHash(rule, identity)),
    async remember(session, destination, rules, identity) {
      const added_at = clock.now();
      if (destination === 'session') {
        const bound = identity !== undefined && { identity };
        session.addRules(rules.map((rule) => ({ ...rule, source: 'session', added_at, ...bound })));
        return;
      }
      // The rule applies from now on even if the file cannot be written, because the user approved it.
      configuration.addMeanwhile(rules.map((rule) => ({ ...rule, source: 'project', added_at })));
      if (identity !== undefined) bind(rules, identity);
      for (const rule of rules) await save(rule, destination);
      configuration.refresh();
    },
    drop({ permission, pattern, action }, file) {
      const rule = { permission, pattern, action };
      configuration.dropMeanwhile(rule);
      if (file !== undefined) acceptances.accept(file, ruleHash(rule), false);
      configuration.refresh();
      if (file !== undefined) keepAccepted(configuration, acceptances, file);
    },
  };
}

function toBoundHash({ permission, pattern, action }: NewRule, identity: string): string {
  return ruleHash({ permission, pattern, action: `${action} ${identity}` });
}

async function saveThroughClient(
  client: Client,
  rule: NewRule,
  destination: 'workspace' | 'user',
): Promise<string | undefined> {
  return (await requestClient(client, 'saveRule', { rule, destination })).file;
}
