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
  '7z': 'a u',
  '7za': 'a u',
  '7zr': 'a u',
  rar: 'a u',
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
  zip: /^(?:-[a-zA-Z0-9]*R|--recurse-p)/,
  '7z': /^-(?:i|r(?!-))/,
  '7za': /^-(?:i|r(?!-))/,
  '7zr': /^-(?:i|r(?!-))/,
  rar: /^-(?:r(?!-)|n)/,
};

/**
 * Matches the words after the program's name if it writes files that only an archive or a patch
 * names. Protected files may be among them, so an allow must contain the whole command literally.
 */
export const UNPACKS: Readonly<Record<string, RegExp>> = {
  tar: /^(?!.*(?:^| )(?:-?[xvzjJpkm]*O|--to-stdout))(?:[a-zA-Z]*x|(?:.* )?(?:-[a-zA-Z]*x|--(?:ext|ex(?![a-z])|ge)))/s,
  bsdtar:
    /^(?!.*(?:^| )-?[xvzjJpkm]*O)(?:[a-zA-Z]*x|(?:.* )?(?:-[a-zA-Z]*x|--(?:ext|ex(?![a-z])|ge)))/s,
  // A dash among the letters cancels one before: `unzip -l --l x.zip` unpacks.
  unzip: /^(?!(?!.*(?:^| )-[a-zA-Z]*-)-[qjaCLnouUWX]*[lptvzZch])./s,
  '7z': /^(?:-\S+ )*[xe](?: |$)/s,
  '7za': /^(?:-\S+ )*[xe](?: |$)/s,
  '7zr': /^(?:-\S+ )*[xe](?: |$)/s,
  unrar: /^(?:-\S+ )*[xe](?: |$)/s,
  rar: /^(?:-\S+ )*[xe](?: |$)/s,
  cpio: /(?:^| )(?:-[a-zA-Z]*[ip]|--(?:ext|pass))/s,
  pax: /(?:^| )-[a-zA-Z]*r/s,
  ar: /^-?[a-zA-Z]*x/s,
  jar: /^(?:-?[a-zA-Z]*x|(?:.* )?--extract)/s,
  'dpkg-deb': /(?:^| )(?:-[a-zA-Z]*[xXRe]|--(?:extract|vextract|raw-extract|control))/s,
  dpkg: /(?:^| )(?:-[a-zA-Z]*[xXR]|--(?:extract|vextract|raw-extract))/s,
  patch: /^(?!--(?:version|help|dry-run)$)/s,
  gh: /^(?:release|run) download(?!.* (?:-O|--output))/s,
  unar: /./s,
  dtrx: /./s,
  aunpack: /./s,
  cabextract: /./s,
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
