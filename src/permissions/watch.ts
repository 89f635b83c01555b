import { homedir } from 'node:os';
import type { Law } from './law.ts';
import { isBelow, resolvePath } from './paths.ts';
import type { Act, CommandAct, FileAct } from './shell/acts.ts';
import { toProgramName } from './shell/command.ts';
import { joinWords } from './shell/words.ts';
import { toVerdict, type Verdict } from './verdict.ts';

/**
 * What the built-in watchdog finds in a command line, whatever rules allow: destructive acts on
 * system paths are denied (CS-9), a line that reads a secret and speaks to the network asks.
 */
export function watchLine(acts: readonly Act[], law: Law): readonly Verdict[] {
  const found: Verdict[] = [];
  for (const act of acts) {
    const target =
      act.kind === 'command' && act.tightensOnly !== true ? findDestructive(act, law) : undefined;
    if (target !== undefined) {
      found.push(
        toFinding(
          act,
          'deny',
          `It would destroy ${target}, which is the system’s or the user’s own.`,
        ),
      );
    }
    if (act.kind === 'file' && act.access === 'fs.write' && BLOCK_DEVICE.test(act.target)) {
      found.push(toFinding(act, 'deny', `It writes to the disk ${act.target} itself.`));
    }
  }
  const leak = findLeak(acts);
  if (leak !== undefined) {
    found.push(
      toFinding(
        leak.act,
        'ask',
        `It reads ${leak.secret} in a line that also speaks to the network.`,
      ),
    );
  }
  return found;
}

function toFinding(act: Act, decision: 'ask' | 'deny', why: string): Verdict {
  const target =
    act.kind === 'command' ? joinWords(act.words) : act.kind === 'file' ? act.target : act.url;
  return {
    ...toVerdict({ permission: 'watchdog', target }, decision, undefined, why),
    watchdog: true,
  };
}

const BLOCK_DEVICE = /(^|=)\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mapper\/|md|loop|mem|kmem)/;
/** Programs that empty a disk; there is no harmless use on a developer's machine. */
const WIPERS = /^(mkfs(\..+)?|mke2fs|wipefs|blkdiscard|mkswap|newfs.*|format)$/;
/** Everything below these is the system's. */
const SYSTEM_TREES = [
  '/etc',
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/boot',
  '/dev',
  '/proc',
  '/sys',
  '/System',
  '/Library',
  '/Applications',
  '/private/etc',
  '/private/var/db',
];
/** These are the system's themselves; what lies below may be anybody's. */
const SYSTEM_FOLDERS = [
  '/',
  '/home',
  '/Users',
  '/root',
  '/opt',
  '/var',
  '/var/lib',
  '/var/log',
  '/srv',
  '/mnt',
  '/media',
  '/private',
  '/Volumes',
];
const WINDOWS_FOLDERS =
  /^[a-z]:\/?$|^[a-z]:\/(windows|program files( \(x86\))?|programdata|users)(\/|$)/i;
/** Spellings of the home folder and the root that are not literal. */
const WILD_TARGET =
  /^(\/\*|~[\w.-]*\/?\*?|~\/\.?\*|"?\$\{?HOME\}?"?(\/?\*?)|\/\{.*\}|[a-z]:[\\/]\*?)$/i;

function findDestructive(act: CommandAct, law: Law): string | undefined {
  const name = toProgramName(act.words[0]?.value ?? '', law.policy.platform);
  if (!DESTROYERS.has(name) && !WIPERS.test(name)) return undefined;
  const words = act.words.slice(1);
  if (WIPERS.test(name) && words.some(({ value }) => BLOCK_DEVICE.test(value)))
    return `a disk (${name})`;
  if (
    !isDestructive(
      name,
      words.map(({ value }) => value),
    )
  )
    return undefined;
  for (const { value, literal } of words) {
    if (WILD_TARGET.test(value)) return value;
    if (!literal) continue;
    // What dd reads by `if=` is not destroyed.
    const target = value.replace(/^of=/, '');
    if (BLOCK_DEVICE.test(target)) return target;
    if (isSystemPath(target, act, law)) return target;
  }
  return undefined;
}

/** Every name that `isDestructive` knows; most commands bear none of them. */
const DESTROYERS: ReadonlySet<string> = new Set([
  ...['rm', 'chmod', 'chown', 'chgrp', 'remove-item', 'find', 'shred', 'mv', 'dd', 'wipefs'],
  ...['rmdir', 'truncate', 'srm', 'deltree', 'rd'],
]);

/** Recursive removal and change of mode or owner, moving away, overwriting. */
function isDestructive(name: string, words: readonly string[]): boolean {
  const recursive = words.some((word) => /^-[a-zA-Z]*[rR]|^--recursive/.test(word));
  if (
    name === 'rm' ||
    name === 'chmod' ||
    name === 'chown' ||
    name === 'chgrp' ||
    name === 'remove-item'
  )
    return recursive;
  if (name === 'find') return words.includes('-delete');
  return DESTROYERS.has(name);
}

function isSystemPath(target: string, act: CommandAct, law: Law): boolean {
  if (WINDOWS_FOLDERS.test(target.replaceAll('\\', '/'))) return true;
  const first = toProgramName(act.words[0]?.value ?? '', law.policy.platform);
  // A relative path is the folder's own business, unless it climbs out of it.
  if (!/^([/~]|\.\.)/.test(target)) return false;
  const { cwd } = law.policy.places;
  const resolved = resolvePath(target, { cwd, platform: law.policy.platform, links: law.links });
  if (!resolved.ok) return false;
  const path = resolved.path;
  if (law.roots.workspace.some((root) => isBelow(path, root))) return false;
  const home = homedir();
  if (path === home || SYSTEM_FOLDERS.includes(path)) return true;
  // Home folders of others may lie in a system tree, and `/usr/local` is shared with the user.
  if (isBelow(path, home) || (isBelow(path, '/usr/local') && path !== '/usr/local')) return false;
  if (path === '/dev/null' || path.startsWith('/dev/shm/') || path.startsWith('/dev/fd/'))
    return false;
  return first !== 'find' && SYSTEM_TREES.some((tree) => isBelow(path, tree));
}

const SECRET_FILE =
  /(^|\/)(\.env(\..+)?|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials|id_(rsa|dsa|ecdsa|ed25519)|.*\.(pem|key|p12|pfx|kdbx|keystore)|credentials(\.json)?|shadow|secrets?\.(json|ya?ml|toml)|login data|cookies\.sqlite|wallet\.dat)$|(^|\/)\.(ssh|aws|gnupg|kube|docker|azure|config\/gcloud)\//i;
const NETWORK =
  /^(curl|wget|nc|ncat|netcat|ssh|scp|sftp|rsync|ftp|telnet|socat|http|xh|dig|nslookup|host|ping|openssl|invoke-webrequest|invoke-restmethod|iwr|irm)$/;
const TEMPLATE = /\.(example|sample|template|dist|pub)$/i;

function findLeak(
  acts: readonly Act[],
): { readonly act: Act; readonly secret: string } | undefined {
  const speaks = acts.some(
    (act) =>
      act.kind === 'host' || (act.kind === 'command' && NETWORK.test(act.words[0]?.value ?? '')),
  );
  if (!speaks) return undefined;
  for (const act of acts) {
    if (act.kind === 'file' && isSecretRead(act)) return { act, secret: act.target };
    const name = act.kind === 'command' && act.words.length <= 2 ? joinWords(act.words) : '';
    if (/^(env|printenv|set|export -p|declare -x)$/.test(name))
      return { act, secret: 'the environment' };
  }
  return undefined;
}

function isSecretRead({ target, role }: FileAct): boolean {
  return (
    role !== 'named' && SECRET_FILE.test(target.replaceAll('\\', '/')) && !TEMPLATE.test(target)
  );
}
