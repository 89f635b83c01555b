import { toCodeSpan } from '../../base/codeSpan.ts';
import { decide } from '../decide/decide.ts';
import type { Evaluation } from '../decide/evaluation.ts';
import { type Rule, toRuleSpan } from '../rules/rule.ts';
import type { Subject } from '../rules/subject.ts';
import type { CommandAct } from '../shell/acts.ts';
import { analyzeBash } from '../shell/bash/walk.ts';
import { joinWords } from '../shell/words.ts';

/** Maximum number of words joined per attempt, so that long lines don't cost quadratic time. */
const WORD_LIMIT = 40;

/**
 * Finds a command that an ask or deny rule names among the words of an unknown program, which may
 * run it: `wrapper rm -rf build`, `wrapper 'rm -rf build'`.
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
      ...codeIn(word.value),
    ];
    for (const text of texts) {
      const rule = findTight(text, subject, compiled);
      if (rule === undefined) continue;
      const why = `An unknown program may run ${toCodeSpan(text)}, which the rule ${toRuleSpan(rule)} covers.`;
      return { rule, why };
    }
  }
  return undefined;
}

/** Whether the word contains a program that an ask or deny rule names. */
function namesWatched(value: string, compiled: Evaluation): boolean {
  if (compiled.watchedPrograms.has(value)) return true;
  return value.split(/[^\w.+-]+/).some((part) => compiled.watchedPrograms.has(part));
}

/** The value of an option; if it is a command line, its commands. */
function textsIn(value: string, compiled: Evaluation): readonly string[] {
  const text = value.replace(/^--?[\w-]+=/, '');
  if (!/[\s;&|$`(]/.test(text)) return [text];
  return analyzeBash(text, undefined, compiled.policy.platform).acts.flatMap((act) =>
    act.kind === 'command' ? [joinWords(act.words)] : [],
  );
}

/**
 * Commands in code of another language, as in `system("rm x")`, `%(rm x)` and `alias.x=!rm x`, but not
 * words of a sentence.
 */
const CODE = new RegExp(
  [
    /(?:(?:[(=,{[]|\b(?:system|exec\w*|spawn\w*|popen|shell|run|qx))\s*["'`]|\w[({]|[%$]\(|(?:^|[=\s"'])!|=)\s*/,
    /(?:[^\s"'`(){};|&!=]*\/)?([\w.+-]+(?:\s[^"'`(){};|&]*)?)/,
  ]
    .map(({ source }) => source)
    .join(''),
  'g',
);

function codeIn(value: string): readonly string[] {
  return [...value.matchAll(CODE)].map(([, text = '']) => text.trimEnd());
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
  const command = { text, aliases, spelled: [], hosts: [], remotes: [], options: [] };
  const asker = { tool: subject.permission, capability: subject.capability };
  const { action, rule } = decide(
    { ...asker, match: 'command', command },
    compiled.index.find(text, aliases),
    compiled.policy.platform,
  );
  return action === 'allow' ? undefined : rule;
}
