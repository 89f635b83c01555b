import { toCodeSpan } from '../../base/codeSpan.ts';
import type { Evaluation } from '../decide/evaluation.ts';
import type { Act, CommandAct, FileAct } from '../shell/acts.ts';
import { toProgramName } from '../shell/bash/command.ts';
import { UPLOADS, usesNetwork } from '../shell/effects.ts';
import { joinWords, literalWord } from '../shell/words.ts';

/** Finds a secret that a line reads while it accesses the network. */
export function findLeak(
  acts: readonly Act[],
  compiled: Evaluation,
): { readonly act: Act; readonly secret: string } | undefined {
  const named = acts.map((act) => (act.kind === 'command' ? toLine(act, compiled) : ''));
  if (!acts.some((act, at) => act.kind === 'host' || usesNetwork(named[at] ?? '')))
    return undefined;
  for (const [at, act] of acts.entries()) {
    if (act.kind === 'file' && isSecretRead(act)) return { act, secret: toCodeSpan(act.target) };
    if (act.kind !== 'command') continue;
    const line = named[at] ?? '';
    if (ENVIRONMENT.test(line)) return { act, secret: 'the environment' };
    if (KEPT_SECRET.test(line)) return { act, secret: `the output of ${toCodeSpan(line)}` };
    const sent = UPLOADS.test(line)
      ? act.words.find(({ value }) => isSecretFile(value))
      : undefined;
    if (sent !== undefined) return { act, secret: toCodeSpan(sent.value) };
  }
  return undefined;
}

/** The command with its program's bare name, case-folded as the platform does. */
function toLine({ words }: CommandAct, { policy }: Evaluation): string {
  const program = toProgramName(words[0]?.value ?? '', policy.platform);
  const name = (policy.shell === 'bash' ? program : program.toLowerCase()).replace(/\.exe$/, '');
  return joinWords([literalWord(name), ...words.slice(1, WORD_LIMIT)]);
}

/** The first words are enough to recognize a command. */
const WORD_LIMIT = 8;

const SECRET_FILE =
  /(^|\/)(\.env(\..+)?|.*\.env|[._]netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials|\.\w+_history|id_(rsa|dsa|ecdsa|ed25519)(_sk)?|\.dockercfg|credentials\.(toml|tfrc\.json)|.*\.(pem|key|p8|ppk|jks|p12|pfx|kdbx|keystore)|credentials(\.json)?|shadow|secrets?\.(json|ya?ml|toml)|login data|cookies\.sqlite|wallet\.dat)$|(^|\/)\.(ssh|aws|gnupg|kube|docker|azure|config\/(gcloud|gh))\/|^\/proc\/[^/]+\/environ$/i;
const TEMPLATE =
  /\.(example|sample|template|dist|pub)$|(^|[/.])(example|sample|template|dist)\.env$/i;

/** Commands that print the environment, or a variable that looks like a secret. */
const ENVIRONMENT =
  /^(env|printenv|set|export -p|declare -[xp])$|^printenv \S*(key|token|secret|passw|credential)/i;
/** Commands that print a secret stored by another program. */
const KEPT_SECRET =
  /^(gh auth token|aws configure (get|export-credentials)|gcloud auth print-\S+|az account get-access-token|security find-(generic|internet)-password|git credential fill|pass show|op read|vault (kv get|read))( |$)/;

function isSecretRead({ target, role }: FileAct): boolean {
  return role !== 'named' && isSecretFile(target);
}

function isSecretFile(written: string): boolean {
  const path = written.replaceAll('\\', '/');
  return !path.includes('://') && SECRET_FILE.test(path) && !TEMPLATE.test(path);
}
