import { toCodeSpan } from '../../../base/codeSpan.ts';

/**
 * Builtins that change what later words or commands mean, so that everything after them is
 * uncertain (corpus C4).
 */
const CHANGING_BUILTINS: ReadonlySet<string> = new Set(
  `eval source . trap alias unalias hash enable shopt unset read mapfile readarray let getopts complete
  compgen compopt bind fc declare typeset local readonly export set exec popd pushd dirs coproc history
  printf test [ command builtin jobs wait`.split(/\s+/),
);

/** Options of `set` that only make a script stop or print. */
const PLAIN_SET =
  /^[-+][euxvC]+$|^(errexit|nounset|pipefail|xtrace|verbose|noclobber)$|^[-+][eux]*o$/;

/**
 * The doubt that a builtin raises about everything that follows; undefined if this use changes
 * nothing.
 */
export function findDoubtfulBuiltin(name: string, args: readonly string[]): string | undefined {
  if (!CHANGING_BUILTINS.has(name)) return undefined;
  switch (name) {
    case 'printf':
      return args[0]?.startsWith('-v') === true || setsLength(args)
        ? '`printf` sets a variable, which may change what later commands do.'
        : undefined;
    case 'test':
    case '[':
      return args.some((arg) => arg === '-v' || arg === '-R')
        ? `${toCodeSpan(`${name} -v`)} evaluates a subscript, which may run a command.`
        : undefined;
    case 'set':
      return args.length > 0 && args.every((arg) => PLAIN_SET.test(arg))
        ? undefined
        : '`set` changes how bash reads or runs the rest of the line.';
    case 'jobs':
      return args.some((arg) => /^-\w*x/.test(arg))
        ? "`jobs -x` runs a command that Gatehouse doesn't follow."
        : undefined;
    case 'wait':
      return args.some((arg) => /^-\w*p/.test(arg))
        ? '`wait -p` evaluates a subscript, which may run a command.'
        : undefined;
    case 'source':
    case '.':
      return `${toCodeSpan(name)} runs commands of a file, which Gatehouse doesn't read.`;
    case 'pushd':
    case 'popd':
    case 'dirs':
    case 'command':
    case 'builtin':
      return undefined;
    default:
      return `${toCodeSpan(name)} may change what later commands do.`;
  }
}

/** `printf %n name` sets the variable to the number of characters printed so far. */
function setsLength(args: readonly string[]): boolean {
  const format = args[0] === '--' ? args[1] : args[0];
  return /%[^%a-zA-Z]*[hjlLqtzZ]*n/.test((format ?? '').replaceAll('%%', ''));
}
