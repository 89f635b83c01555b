import { existsSync, renameSync } from 'node:fs';
import path from 'node:path';
import type { DecisionEvent } from '../../../../src/gate/decisionEvent.ts';
import { openDecisionLog } from '../../../../src/host/decisions/decisionLog.ts';
import { openRuleHits } from '../../../../src/host/decisions/ruleHits.ts';
import type { Rule } from '../../../../src/permissions/rules/rule.ts';

/** A host that keeps decisions, reduced to that. It is killed, or its files may not grow beyond a limit. */
const [folder = '', task] = process.argv.slice(2);
const warnings: string[] = [];
const warn = (message: string) => void warnings.push(message);
const logs = path.join(folder, 'decisions');
const log = openDecisionLog({ folder: logs, redact: (text) => text, warn });
const hits = openRuleHits(path.join(folder, 'rule-hits.json'), { warn });

if (task === 'for ever') await writeForEver();
else await writeBeyondLimit();

/** Prints the id of each decision once it is written, so each of them must be found afterwards. */
async function writeForEver(): Promise<never> {
  for (let count = 0; ; count += 1) {
    const id = `${process.pid}-${count}`;
    keep(id, count);
    await log.read('ses_1');
    hits.flush();
    process.stdout.write(`${id}\n`);
  }
}

/** Writes more than fits into a file, then makes room, and prints what a reader sees. */
async function writeBeyondLimit(): Promise<void> {
  for (let count = 0; count < 120; count += 1) keep(`call-${count}`, count);
  const found = await count();
  hits.flush();
  const uses = hits.find(toRule(119), 'ses_1')?.hits;
  const told = warnings.splice(0);
  const file = path.join(logs, 'ses_1.jsonl');
  for (let moved = 0; moved < 100; moved += 1) {
    if (existsSync(file)) renameSync(file, path.join(folder, `moved-${moved}.jsonl`));
    await log.read('ses_1');
  }
  process.stdout.write(JSON.stringify({ found, uses, told }));
  await log.close();
}

async function count(): Promise<number> {
  const { lines } = await log.read('ses_1');
  return lines.length;
}

function keep(toolCallId: string, count: number): void {
  const rule = toRule(count);
  const subjects = [{ permission: 'bash', target: 'npm test', decision: 'allow', rule } as const];
  const event: DecisionEvent = {
    ...{ sessionId: 'ses_1', toolCallId, tool: 'bash', about: 'call', decision: 'allow' },
    ...{ by: 'rule', layer: 'rules', reason: 'A rule allows it.', paths: [], durationMs: 3 },
    ...{ subjects, rule, rules: [toRule(0)] },
  };
  log.write(event);
  hits.note(event);
}

function toRule(count: number): Rule {
  const origin = { layer: 'user', file: '/u', index: 0 } as const;
  return {
    permission: 'bash',
    pattern: `npm ${count}`,
    action: 'allow',
    source: 'project',
    origin,
  };
}
