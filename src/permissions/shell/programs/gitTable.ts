/**
 * Global options of `git` that don't affect what runs or where. An allow must contain every other
 * one literally.
 */
export const GIT_GLOBAL_SAFE: ReadonlySet<string> = new Set([
  '--no-pager',
  '-P',
  '--version',
  '-v',
  '--help',
  '-h',
  '--no-optional-locks',
  '--no-replace-objects',
  '--no-lazy-fetch',
  '--literal-pathspecs',
  '--glob-pathspecs',
  '--noglob-pathspecs',
  '--icase-pathspecs',
]);

/** Global options of `git` with a value as the next word. */
export const GIT_GLOBAL_VALUED: ReadonlySet<string> = new Set([
  '-c',
  '-C',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--super-prefix',
  '--config-env',
  '--exec-path',
  '--attr-source',
]);

/** Options of any subcommand that run a program or write a file (spec CS-20). */
export const GIT_RISKY_LONG: readonly string[] = [
  'output',
  'output-directory',
  'ext-diff',
  'show-signature',
  'verify-signatures',
  'textconv',
  'open-files-in-pager',
  'upload-pack',
  'receive-pack',
  'exec',
  'extcmd',
  'config',
  'template',
  'separate-git-dir',
  'recurse-submodules',
  'server-option',
  'upload-archive',
  'remote',
  'tool',
  'gpg-sign',
  'strategy',
  'rsh',
  'to-cmd',
  'cc-cmd',
  'smtp-server',
  'sendmail-cmd',
  'filters',
  'interactive',
  'edit-description',
  'index-output',
  'build-fake-ancestor',
  'object-dir',
  'expire-to',
  'filter-to',
  'export-marks',
];

/** Short options of a single subcommand that run a program or write a file. */
export const GIT_RISKY_SHORT: Readonly<Record<string, string>> = {
  grep: 'O',
  clone: 'cu',
  fetch: 'u',
  pull: 'u',
  rebase: 'xi',
  difftool: 'xt',
  archive: 'o',
  'format-patch': 'o',
  bundle: '',
  init: '',
  'ls-remote': '',
  merge: 's',
  'cherry-pick': 's',
  revert: 's',
  blame: 'S',
  apply: '',
};

/**
 * Options of a single subcommand that sign or verify, by a program that the configuration names, or
 * that take the names of the files to read from a list.
 */
export const GIT_RISKY_FORMS: Readonly<Record<string, RegExp>> = {
  tag: /^(?:-[adefiln\d]*[suv]|--(?:v|si|lo))/,
  commit: /^-[aeinopqsvz]*S/,
  'commit-tree': /^-S/,
  merge: /^-[enqv]*S/,
  pull: /^-[efknpqrtv]*S/,
  rebase: /^-[fikmnqrv]*S/,
  'cherry-pick': /^-[enrsx]*S/,
  revert: /^-[ens]*S/,
  push: /^--si/,
  'hash-object': /^--stdin-/,
};

/**
 * Subcommands that run configured or given programs with any options; an allow must contain them
 * literally.
 */
export const GIT_RISKY_SUBCOMMANDS: ReadonlySet<string> = new Set(
  `config bisect submodule difftool mergetool filter-branch daemon instaweb hook send-email imap-send credential
  credential-store credential-cache remote-ext remote-fd fast-import fast-export upload-pack receive-pack upload-archive
  shell http-backend cvsserver svn p4 web--browse help gui citool maintenance update-server-info archimport
  quiltimport request-pull am bundle checkout-index lfs bugreport diagnose replay for-each-repo sh-setup rebase--interactive verify-commit
  verify-tag`.split(/\s+/),
);

/** Read-only forms of these subcommands. */
export const GIT_HARMLESS_FORMS: readonly RegExp[] = [
  /^config (--(global|local|system|worktree|show-origin|show-scope) )*(--get|--get-all|--get-regexp|--list|-l|get|list)( |$)/,
  /^submodule( status| summary)?$/,
  /^bisect (start|good|bad|reset|log|skip|new|old|next)( |$)(?!.*--)/,
  // A word is a program or another subcommand.
  /^bisect (visualize|view)( -|$)(?!.*--)/,
  /^am --(abort|continue|skip|quit)$/,
  /^bundle (verify|list-heads)( |$)/,
  /^apply(?=.* --(?:check|stat|numstat|summary)(?: |$))(?!.* --(?:apply|ind|cac|3|ou)|.* -3)/,
  /^lfs (ls-files|status|env|version|fetch|pull|push|logs|locks|fsck|checkout)( |$)/,
];

/** Subcommands built into git. Any other word may be an alias, which runs anything. */
export const GIT_SUBCOMMANDS: ReadonlySet<string> = new Set(
  `add am annotate apply archive bisect blame branch bugreport bundle cat-file check-attr check-ignore check-mailmap
  check-ref-format checkout checkout-index cherry cherry-pick clean clone column commit commit-graph commit-tree config
  count-objects describe diff diff-files diff-index diff-tree difftool fetch format-patch for-each-ref fsck gc grep
  hash-object help init interpret-trailers log ls-files ls-remote ls-tree merge merge-base merge-file merge-tree mv
  name-rev notes pack-refs prune pull push range-diff read-tree rebase reflog remote repack replace rerere reset
  restore rev-list rev-parse revert rm shortlog show show-branch show-ref sparse-checkout stage stash status
  stripspace submodule switch symbolic-ref tag update-index update-ref var verify-commit verify-tag version
  whatchanged worktree write-tree lfs flow maintenance multi-pack-index`.split(/\s+/),
);

/** Subcommands whose operands may name files that are read, including `rev:path`. */
export const GIT_READERS: ReadonlySet<string> = new Set(
  'show diff log blame annotate cat-file grep add stage commit stash archive hash-object ls-files ls-tree status checkout restore apply diff-files diff-index diff-tree whatchanged rm mv check-ignore'.split(
    ' ',
  ),
);

/** Subcommands whose operands name files that are written. */
export const GIT_WRITERS: ReadonlySet<string> = new Set(
  'checkout restore rm mv apply am clean checkout-index stash reset switch clone worktree init merge-file bundle update-index mailinfo mailsplit'.split(
    ' ',
  ),
);

/**
 * Options with which a subcommand takes the names of the files it writes from a list or a patch. Each
 * may be abbreviated.
 */
export const GIT_TAKES_NAMES: Readonly<Record<string, RegExp>> = {
  'update-index': /^(?:--index-i[nfo]*|--std?i?n?|-z|--ag[ain]*|-g|--refresh-.*)$/,
  'checkout-index': /^(?:--std?i?n?|-z)$/,
  checkout: /^--pat(?!ch)/,
  restore: /^--pat(?!ch)/,
  reset: /^--(?:pat(?!ch)|st)/,
  rm: /^--pat/,
  stash: /^--pat(?!ch)/,
  'sparse-checkout': /^--std?i?n?$/,
  mailsplit: /^/,
};

/** Subcommands whose operands may be the URL of another repository. */
export const GIT_REMOTE: ReadonlySet<string> = new Set(
  'clone fetch pull push ls-remote remote submodule archive lfs svn request-pull'.split(' '),
);

/** Subcommands whose first operand selects the operation. */
export const GIT_TWO_WORDS: ReadonlySet<string> = new Set(['stash', 'worktree', 'bundle']);
