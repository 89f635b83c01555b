import type { Redirection } from 'unbash';
import type { Act, FileAct } from './acts.ts';
import { analyseAssignment } from './assignments.ts';
import type { Places } from './folders.ts';
import { toShellWord } from './words.ts';

interface Collector {
  readonly acts: Act[];
  readonly doubts: Set<string>;
}

const FREE = /^\/dev\/(null|zero|stdin|stdout|stderr|fd\/\d+)$/;

/** Adds what a redirection reads or writes (C6). Here-documents are data; their substitutions are walked elsewhere. */
export function analyseRedirection(
  redirection: Redirection,
  folders: Places,
  walk: Collector,
): void {
  const { descriptor } = redirection;
  if (descriptor?.type === 'FileDescriptorVariable') {
    analyseAssignment(descriptor.name, undefined, walk);
  }
  if (
    redirection.type === 'HereDoc' &&
    redirection.delimiter?.quoted === false &&
    redirection.body.text.includes('$[')
  ) {
    walk.doubts.add('a here-document evaluates arithmetic');
  }
  if (redirection.type === 'HereDoc' && redirection.closing === undefined) {
    walk.doubts.add('a here-document has no end');
  }
  if (redirection.type !== 'Redirect') return;
  const { operator, target } = redirection;
  if (target === undefined) {
    walk.doubts.add('a redirection has no target');
    return;
  }
  const word = toShellWord(target);
  if (operator === '>&' || operator === '<&') {
    if (word.literal && /^(\d+-?|-)$/.test(word.value)) return;
    if (operator === '<&' || !word.literal) {
      walk.doubts.add(`the redirection ${operator}${word.value} is not literal`);
      if (operator === '<&') return;
    }
  }
  // Bash expands the target of `>&` twice: a quoted `$(x)` runs.
  if (operator === '>&' && /[^\w./:@%+,=-]/.test(word.value)) {
    walk.doubts.add(`the target ${word.value} of >& is expanded again`);
  }
  if (word.literal && FREE.test(word.value)) return;
  const network = /^\/dev\/(?:tcp|udp)\/([^/]+)\/([^/]+)/.exec(word.value);
  if (network !== null) {
    walk.acts.push({ kind: 'host', url: `${network[1]}:${network[2]}`, role: 'redirection' });
    return;
  }
  for (const access of accessesOf(operator)) walk.acts.push(toAct(word, access, folders));
}

function accessesOf(operator: string): readonly FileAct['access'][] {
  if (operator === '<') return ['fs.read'];
  return operator === '<>' ? ['fs.read', 'fs.write'] : ['fs.write'];
}

function toAct(
  { value, literal, tilde }: { value: string; literal: boolean; tilde?: boolean },
  access: FileAct['access'],
  folders: Places,
): FileAct {
  // `~` is what HOME says at that moment, so a target that starts with it is not certain.
  const doubt = !literal || tilde === true ? `the target ${value} is not literal` : undefined;
  return {
    kind: 'file',
    access,
    target: value,
    folders,
    role: 'redirection',
    ...(doubt !== undefined && { doubt }),
  };
}
