import type { Rule } from '../rules/rule.ts';
import type { Subject } from '../rules/subject.ts';
import type { CommandAct } from '../shell/acts.ts';
import { analyseBash } from '../shell/bash/walk.ts';
import { joinWords } from '../shell/words.ts';
import { decide } from './decide.ts';
import type { Evaluation } from './evaluation.ts';

/** So many words of a command are read: a long line must not be joined anew for each of its words. */
const WORD_LIMIT = 40;

/**
 * A command that a rule asks about or denies by its name, named by a program we do not know: it may
 * start it, as `wrapper rm -rf build` and `wrapper 'rm -rf build'` do.
 */
export function findNamedCommand(
  { words }: CommandAct,
  subject: Pick<Subject, 'permission' | 'capability'>,
  compiled: Evaluation,
): { readonly rule: Rule; readonly why: string } | undefined {
  if (compiled.watchedPrograms.size === 0) return undefined;
  for (const [index, word] of words.entries()) {
    if (index === 0 || !namesWatched(word.value, compiled)) continue;
    const texts = [
      joinWords(words.slice(index, index + WORD_LIMIT)),
      ...textsIn(word.value, compiled),
    ];
    for (const text of texts) {
      const rule = findTight(text, subject, compiled);
      if (rule === undefined) continue;
      const why = `A program that is not known names "${text.slice(0, 200)}", which the rule "${rule.permission} ${rule.pattern}" is about.`;
      return { rule, why };
    }
  }
  return undefined;
}

/** Whether a program that some rule asks about or denies stands in the word. */
function namesWatched(value: string, compiled: Evaluation): boolean {
  if (compiled.watchedPrograms.has(value)) return true;
  return value.split(/[^\w.+-]+/).some((part) => compiled.watchedPrograms.has(part));
}

/** What stands behind an option's name, and the commands of it when it is a line. */
function textsIn(value: string, compiled: Evaluation): readonly string[] {
  const text = value.replace(/^--?[\w-]+=/, '');
  if (!/[\s;&|$`(]/.test(text)) return [text];
  return analyseBash(text, undefined, compiled.policy.platform).acts.flatMap((act) =>
    act.kind === 'command' ? [joinWords(act.words)] : [],
  );
}

function findTight(
  text: string,
  subject: Pick<Subject, 'permission' | 'capability'>,
  compiled: Evaluation,
): Rule | undefined {
  const [program = ''] = text.split(' ', 1);
  const base = program.slice(program.lastIndexOf('/') + 1);
  if (!compiled.watchedPrograms.has(base)) return undefined;
  const aliases = base === program ? [] : [base + text.slice(program.length)];
  const command = { text, aliases, spelled: [], hosts: [], options: [] };
  const asker = { tool: subject.permission, capability: subject.capability };
  const { action, rule } = decide(
    { ...asker, match: 'command', command },
    compiled.index.find(text, aliases),
    compiled.policy.platform,
  );
  return action === 'allow' ? undefined : rule;
}
