/**
 * Operands after which a program includes a whole folder, except what an ignore file or a manifest
 * excludes. The line doesn't say which files these are. `*` = always.
 */
export const TAKES_IN: Readonly<Record<string, string>> = {
  docker: 'build bake',
  'docker-compose': 'build',
  podman: 'build',
  nerdctl: 'build',
  buildah: 'bud build',
  npm: 'pack publish',
  pnpm: 'pack publish',
  yarn: 'pack publish',
  bun: 'pack publish',
  lerna: 'publish',
  vsce: 'package publish',
  cargo: 'package publish',
  poetry: 'build publish',
  uv: 'build publish',
  hatch: 'build publish',
  pdm: 'build publish',
  flit: 'build publish',
  gem: 'build',
  aws: 'sync cp mv',
  gsutil: 'cp mv rsync',
  gcloud: 'submit deploy rsync cp',
  s3cmd: 'put sync',
  mc: 'cp mirror mv',
  rclone: 'copy copyto move moveto sync bisync',
  az: 'upload upload-batch sync deploy up',
  fly: 'deploy launch',
  flyctl: 'deploy launch',
  vercel: '*',
  netlify: 'deploy',
  wrangler: 'deploy publish',
  firebase: 'deploy',
  surge: '*',
  serverless: 'deploy package',
  sam: 'build deploy package',
  eb: 'deploy',
  restic: 'backup',
  borg: 'create',
  '7z': 'a u A U',
  '7za': 'a u A U',
  '7zr': 'a u A U',
  '7zz': 'a u A U',
  rar: 'a u m A U M',
  jar: 'cf cvf c cfM uf',
  zpaq: 'a add',
  arj: 'a',
  lha: 'a',
  pax: '*',
  ditto: '*',
  xcopy: '*',
  robocopy: '*',
  mksquashfs: '*',
  mkisofs: '*',
  genisoimage: '*',
  tarsnap: '*',
  duplicity: '*',
  'rdiff-backup': '*',
  unison: '*',
  croc: 'send',
  wormhole: 'send',
  ipfs: 'add',
  helm: 'package',
  repomix: '*',
  gitingest: '*',
  code2prompt: '*',
  'files-to-prompt': '*',
};

/** Options with which a program takes in the folders that it is given. */
export const TAKES_IN_BY: Readonly<Record<string, RegExp>> = {
  jar: /^(?:-[a-zA-Z0]*[cu]|--(?:cr|up))/,
};

/** Options with which a program takes in all files below the current folder that match its operands. */
export const TAKES_IN_HERE: Readonly<Record<string, RegExp>> = {
  // They print lines of the files that they search.
  semgrep: /./s,
  'ast-grep': /./s,
  gitleaks: /./s,
  trufflehog: /./s,
  'detect-secrets': /./s,
  zip: /^(?:-[a-zA-Z0-9]*R|--recurse-p)/,
  '7z': /^-(?:i|r(?!-))/,
  '7za': /^-(?:i|r(?!-))/,
  '7zr': /^-(?:i|r(?!-))/,
  '7zz': /^-(?:i|r(?!-))/,
  rar: /^-(?:r(?!-)|n)/,
};

/**
 * Only where it is certain is `-O` the option that prints what is unpacked: it may be the name of a member, of
 * the archive, or the value of another option.
 */
const TAR =
  /^(?!(?:-[xvzjJpkm]+ )*-?[xvzjJpkm]*O|-?[xvzjJpkm]*f [^- ]\S* (?:-O|--to-stdout)(?: |$)|--to-stdout )(?:[a-zA-Z]*x|(?:.* )?(?:-[a-zA-Z]*x|--(?:ext|ex(?![a-z])|ge)))/s;
/** The commands are read without case. */
const SEVEN_ZIP = /^(?:-\S+ )*[xe](?: |$)/is;
/** Long options may precede the letters, with their values. */
const AR = /^(?:-?[a-zA-Z]*x|--(?:.* )?-?[a-zA-Z]*x[a-zA-Z]*(?: |$))/s;
const CPIO = /(?:^| )(?:-[a-zA-Z]*[ip]|--(?:e|pa))/s;
/** The first word says what is done: `lha xw=out a.lzh`, `arc x a.arc`. */
const BY_LETTER = /^(?:-\S+ )*-?[a-z]*[xe]/is;

/**
 * Matches the words after the program's name if it writes files that only an archive or a patch
 * names. Protected files may be among them, so an allow must contain the whole command literally.
 */
export const UNPACKS: Readonly<Record<string, RegExp>> = {
  tar: TAR,
  bsdtar: TAR,
  // A dash among the letters cancels one before: `unzip -l --l x.zip` unpacks.
  unzip: /^(?!(?!.*(?:^| )-[a-zA-Z]*-)-[qjaCLnouUWX]*[lptvzZch])./s,
  '7z': SEVEN_ZIP,
  '7za': SEVEN_ZIP,
  '7zr': SEVEN_ZIP,
  '7zz': SEVEN_ZIP,
  unrar: SEVEN_ZIP,
  rar: SEVEN_ZIP,
  cpio: CPIO,
  bsdcpio: CPIO,
  pax: /(?:^| )-[a-zA-Z]*r/s,
  ar: AR,
  'gcc-ar': AR,
  'llvm-ar': AR,
  jar: /^(?:-?[a-zA-Z]*x|(?:.* )?(?:--extract|-[a-zA-Z]*x))/s,
  'dpkg-deb': /(?:^| )(?:-[a-zA-Z]*[xXRe]|--(?:extract|vextract|raw-extract|control))/s,
  dpkg: /(?:^| )(?:-[a-zA-Z]*[xXR]|--(?:extract|vextract|raw-extract))/s,
  patch: /^(?!--(?:version|help|dry-run)$)/s,
  // Options may stand anywhere: `gh release -R a/b download`. `-O` may be the value of another.
  gh: /(?:^| )(?:release|run) (?:.* )?download(?: |$)(?!(?:.* )?(?<! -\w |--(?:pattern|repo|dir|archive|name) )(?:-O|--output))/s,
  unar: /./s,
  dtrx: /./s,
  aunpack: /./s,
  cabextract: /./s,
  bsdunzip: /./s,
  unp: /./s,
  unlzx: /./s,
  innoextract: /./s,
  atool: /(?:^| )(?:-[a-zA-Z]*[xX]|--ex)/s,
  patool: /(?:^| )extract /s,
  ouch: /(?:^| )(?:d|decompress) /s,
  xar: /(?:^| )(?:-[a-zA-Z]*x|--ex)/s,
  asar: /^(?:e|extract|ef|extract-file) /s,
  zpaq: /^x/s,
  arc: BY_LETTER,
  arj: BY_LETTER,
  lha: BY_LETTER,
  lhasa: BY_LETTER,
  unace: BY_LETTER,
  unarj: BY_LETTER,
  unshield: /(?:^| )x /s,
  zoo: /^-?(?:x|[a-z]*[xeOS])/s,
  unsquashfs: /./s,
  uudecode: /^/s,
};

/** Options with the folder to unpack to. */
export const DESTINATIONS: Readonly<Record<string, RegExp>> = {
  tar: /^(?:-C|--directory(?:=(.+))?)$/s,
  bsdtar: /^(?:-C|--directory(?:=(.+))?)$/s,
  unzip: /^-d$/,
  '7z': /^-o(.+)$/s,
  '7za': /^-o(.+)$/s,
  '7zr': /^-o(.+)$/s,
  '7zz': /^-o(.+)$/s,
  patch: /^-d$/,
  gh: /^(?:-D|--dir(?:=(.+))?)$/s,
};

/** Programs that decompress a file into one without its extension. */
export const DECOMPRESSORS: ReadonlySet<string> = new Set(
  'gzip gunzip pigz unpigz bzip2 bunzip2 lbzip2 pbzip2 pixz lzop xz unxz zstd unzstd lzma unlzma lz4 unlz4 lzip brotli uncompress'.split(
    ' ',
  ),
);

/** Subcommands that copy a whole folder from or to another machine. */
export const COPIERS: Readonly<Record<string, RegExp>> = {
  aws: /^s3 (?:sync|mv|cp)$/,
  gsutil: /^(?:rsync|cp|mv)$/,
  rclone: /^(?:copy|sync|move|bisync)$/,
};
