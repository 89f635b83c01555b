import type { ShellWord } from './acts.ts';
import { joinWords, literalWord } from './words.ts';

/** What a command does to files and hosts, as far as its words show. */
export type Effect = 'destructive' | 'network';

/**
 * The effect that the user is warned of: the command deletes or overwrites files or commits, wherever
 * they are, or contacts a host. `program` is its name without the folder. The watchdog stops only what
 * would destroy the system's own paths.
 */
export function findEffect(program: string, words: readonly ShellWord[]): Effect | undefined {
  const name = program.toLowerCase().replace(/\.exe$/, '');
  const values = words.slice(1).map(({ value }) => value);
  if (deletes(name, values)) return 'destructive';
  const line = joinWords([literalWord(name), ...words.slice(1)]);
  return usesNetwork(line) || TRANSFERS.test(line) ? 'network' : undefined;
}

function deletes(name: string, words: readonly string[]): boolean {
  if (name === 'git') return DISCARDS.test(words.join(' '));
  if (name === 'mv') return false;
  return (
    REMOVERS.has(name) || WIPERS.test(name) || DISK_TOOLS.test(name) || isDestructive(name, words)
  );
}

export function usesNetwork(line: string): boolean {
  return NETWORK.test(line) || UPLOADS.test(line);
}

/** Commands of git that discard changes or commits. */
const DISCARDS =
  /^((-[Cc]|--git-dir|--work-tree|--namespace) \S+ |-\S+ )*(clean|reset (.* )?--(hard|merge)|checkout (.* )?(--|-f|--force|\.)|restore|rm|stash (drop|clear)|branch (.* )?(-D|-d|--delete)|tag (.* )?(-d|--delete)|push (.* )?(-f|--force\S*|--delete|--mirror|:\S+)|reflog (expire|delete)|gc|filter-\S+|update-ref -d|worktree remove)( |$)/;

/** Programs that erase a disk; they have no harmless use on a developer's machine. */
export const WIPERS = /^(mkfs(\..+)?|mke2fs|wipefs|blkdiscard|mkswap|newfs.*|format)$/;
/** Wipers that name the disk with parameters of their own. */
export const DISK_TOOLS = /^(format-volume|clear-disk|initialize-disk)$/;
/** Programs for which removing a single file of the system counts as destructive. */
export const REMOVERS: ReadonlySet<string> = new Set([
  ...['rm', 'unlink', 'remove-item', 'ri', 'del', 'erase'],
]);

/** Programs that always count as destructive. */
const DESTROYERS: ReadonlySet<string> = new Set([
  ...['shred', 'mv', 'dd', 'wipefs', 'rmdir', 'truncate', 'srm', 'deltree', 'rd'],
]);
const RECURSIVE: ReadonlySet<string> = new Set([
  ...['rm', 'chmod', 'chown', 'chgrp', 'remove-item', 'ri', 'del', 'erase'],
]);

/**
 * Whether the command removes, moves or overwrites files, or changes modes or owners recursively.
 */
export function isDestructive(name: string, words: readonly string[]): boolean {
  if (RECURSIVE.has(name))
    return words.some((word) => /^-[a-zA-Z]*[rR]|^--recursive|^\/s$/i.test(word));
  if (name === 'find') {
    const runs = words.findIndex((word) => /^-(exec|execdir|ok|okdir)$/.test(word));
    const program = (words[runs + 1] ?? '').split('/').at(-1) ?? '';
    const removes = runs >= 0 && (REMOVERS.has(program) || DESTROYERS.has(program));
    return words.includes('-delete') || removes;
  }
  if (name === 'rsync') return words.some((word) => word.startsWith('--del'));
  return DESTROYERS.has(name);
}

/** Programs that access the network. */
const NETWORK =
  /^(curl|wget|nc|ncat|netcat|ssh|scp|sftp|rsync|ftp|lftp|telnet|socat|https?|xh|aria2c|dig|nslookup|host|ping|whois|openssl|mail|mailx|mutt|sendmail|msmtp|invoke-webrequest|invoke-restmethod|iwr|irm)( |$)/;
/** Commands of other programs that upload files. */
export const UPLOADS =
  /^(rclone|gsutil|s3cmd|aws s3(api)?|gcloud storage|az storage|gh (gist|release upload)|glab snippet|kubectl cp|docker cp)( |$)/;
/** Commands of other programs that send or fetch, to hosts that they know themselves. */
const TRANSFERS =
  /^(git (push|fetch|pull|clone|ls-remote|submodule (add|update))|(npm|pnpm|yarn|bun) (publish|install|i|ci|add|update|audit)|npx|pip3? (install|download)|uv (pip|add|sync)|cargo (publish|install|add|update)|go (get|install)|gem (push|install)|twine|docker (push|pull|login)|brew install|apt(-get)? (install|update|upgrade))( |$)/;
