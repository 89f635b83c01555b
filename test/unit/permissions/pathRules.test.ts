import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { checkCalls } from './lines.ts';

// Decisions 6 and 11, C-52, C7: paths are judged where they lead, on the disk they lie on.

const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'rules-')));
const [root, second, outside] = ['w', 'w2', 'outside'].map((name) => path.join(base, name));
for (const each of [`${root}/src`, `${root}/conf`, `${second}/src`, `${outside}/deep`])
  mkdirSync(each, { recursive: true });
symlinkSync('conf/env', `${root}/.env`);
writeFileSync(`${root}/src/file`, '');
symlinkSync('src', `${root}/link`);
symlinkSync(`${outside}/deep`, `${root}/out`);
symlinkSync('.git/config', `${root}/harmless`);
symlinkSync('conf/rc', `${root}/.envrc`);
after(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));
const HERE = { workspace: root };
const ALL = 'read ** allow';
const BOTH = { workspace: [root, second] };
const MAC = { platform: 'darwin' };
const WINDOWS = { platform: 'win32', shell: 'pwsh' };

checkCalls(
  'read',
  [
    // A pattern without a glob means the path and what lies below it, at a border.
    ['src/a', ['read src deny', ALL], 'deny'],
    ['src', ['read src deny', ALL], 'deny'],
    ['src/a/b', ['read src/ allow'], 'allow'],
    ['srcx/a', ['read src deny', ALL], 'allow'],
    ['src/a', ['read {workspace} allow'], 'allow'],
    ['src/a', ['read {workspace}/src allow'], 'allow'],
    ['src/a/b', ['read src/a deny', 'read src/** allow'], 'deny'],
    ['src/a/b', ['read src/a allow', 'read src/* deny'], 'allow'],
    ['src/a/b', ['read src/a allow', 'read src/*/b deny'], 'deny'],
    ['src/b', ['read src/{a,b} deny', ALL], 'deny'],
    ['src/b/c', ['read src/{a,b} deny', ALL], 'allow'],
    ['a*b', ['read a\\*b deny', ALL], 'deny'],
    ['a*b/c', ['read a\\*b deny', ALL], 'deny'],
    // Spellings of one path.
    ['a/../secret', ['read secret deny', ALL], 'deny'],
    ['.//secret/', ['read ./secret deny', ALL], 'deny'],
    [`${root}/secret`, ['read secret deny', ALL], 'deny'],
    ['secret', [`read ${root}/secret deny`, ALL], 'deny'],
    ['~/x', ['read ~/x deny', ALL], 'deny'],
    ['~/x/y', ['read ~ deny', ALL], 'deny'],
    ['~/x', ['read ~/** allow'], 'allow'],
    ['~other/x', [ALL], 'ask'],
    ['file:///etc/passwd', [ALL], 'ask'],
    // An allow whose pattern is relative stays inside the roots; a deny or ask does not.
    [`${outside}/x`, ['read **/x allow'], 'ask'],
    [`${outside}/x`, ['read ../outside/** allow'], 'ask'],
    [`${outside}/x`, ['read src/../../outside/** allow'], 'ask'],
    [`${outside}/x`, ['read {..,src}/outside/** allow'], 'ask'],
    [`${outside}/x`, [`read ${outside}/** allow`], 'allow'],
    [`${outside}/x`, ['read ../outside/** deny', ALL], 'deny'],
    [`${outside}/x`, ['read **/x deny', ALL], 'deny'],
    // Written from the roots, it starts with no `**`.
    [`${outside}/x`, ['read ./** deny', ALL], 'allow'],
    ['src/x', ['read ./** deny', ALL], 'deny'],
    [`${outside}/x`, ['read ./**/x deny', ALL], 'allow'],
    ['src/x', ['read a/../src/** allow'], 'allow'],
    // Several roots, or none.
    [`${second}/src/x`, ['read src/** allow'], 'allow', BOTH],
    [`${second}/src/x`, ['read src deny', ALL], 'deny', BOTH],
    [`${second}/x`, ['read {workspace}/** allow'], 'allow', BOTH],
    [`${second}/x`, ['read ../w2/** allow'], 'ask', BOTH],
    ['x', ['read {workspace}/** allow'], 'ask', { workspace: null }],
    ['x', ['read x deny', ALL], 'deny', { workspace: null }],
    ['x', ['read {ad-hoc}/** allow'], 'ask'],
    // Links: a deny means the name it says and the place that leads to; an allow the place alone.
    ['out/x', [`read ${outside}/** deny`, ALL], 'deny'],
    ['out/x', ['read out/** allow'], 'ask'],
    ['out/x', [`read ${outside}/** allow`], 'allow'],
    ['out/x', ['read out deny', ALL], 'deny'],
    [`${outside}/deep/x`, ['read out deny', ALL], 'deny'],
    ['link/x', ['read link/** deny', ALL], 'deny'],
    ['src/x', ['read link/** deny', ALL], 'deny'],
    ['src/x', ['read link/* ask', ALL], 'ask'],
    ['src/x', ['read link/x deny', ALL], 'deny'],
    ['src/y', ['read link/x deny', ALL], 'allow'],
    ['src/a.key', ['read **.key deny', ALL], 'deny'],
    ['src/a.key', ['read **.key allow'], 'ask'],
    ['link/x', ['read src/** deny', ALL], 'deny'],
    ['link/x', ['read src/** allow'], 'allow'],
    ['link/x', ['read link/** allow'], 'ask'],
    ['.env', ['read **/.env deny', ALL], 'deny'],
    ['conf/env', ['read **/.env deny', ALL], 'allow'],
    ['conf/env', ['read .env deny', ALL], 'allow'],
    ['.env', ['read .env deny', ALL], 'deny'],
    ['link/../.env', ['read **/.env deny', ALL], 'deny'],
    ['src/x', ['read link/** deny', 'read src/x allow'], 'allow'],
  ],
  HERE,
);

checkCalls(
  'bash',
  [
    ['cat .env', ['fs.read **/.env deny', 'bash * allow'], 'deny'],
    ['cat < .env', ['fs.read **/.env deny', 'fs.read ** allow', 'bash * allow'], 'deny'],
    ['cat link/x', ['fs.read link deny', 'bash * allow'], 'deny'],
    ['cat src/x', ['read link deny', 'bash * allow'], 'deny'],
    ['cat conf/x', ['read link deny', 'bash * allow'], 'allow'],
    ['cat src/a', ['read src deny', 'bash * allow'], 'deny'],
    ['grep -r x .', ['read src deny', 'bash * allow'], 'deny'],
    ['grep -r x .', ['fs.* src deny', 'bash * allow'], 'deny'],
    ['grep -r x .', ['r* src ask', 'bash * allow'], 'ask'],
    ['grep -r x .', ['fs.write src deny', 'bash * allow'], 'allow'],
    ['grep -r x conf', ['read src deny', 'bash * allow'], 'allow'],
    ['ls > src/a', ['fs.write src allow', 'bash * allow'], 'allow'],
    ['ls > src/a', ['write src allow', 'bash * allow'], 'ask'],
    ['ls > src/a', ['fs.write ** allow', 'write src deny', 'bash * allow'], 'deny'],
    ['ls > .envrc', ['fs.write ** allow', 'bash * allow'], 'ask'],
  ],
  HERE,
);

checkCalls(
  'write',
  [
    // Protected files ask whatever is allowed, by every name and link; a deny denies.
    ['.git/config', ['write .git/config allow'], 'ask'],
    ['harmless', ['write harmless allow', '* * allow'], 'ask'],
    ['.envrc', ['write conf/rc allow', '* * allow'], 'ask'],
    ['conf/rc', ['* * allow'], 'allow'],
    ['.GIT/config', ['* * allow'], 'ask'],
    ['sub/Claude.md', ['* * allow'], 'ask'],
    ['AGENTS.md', ['* * allow'], 'deny', { headless: true }],
    ['.vscode/settings.json', ['* * allow', 'write .vscode deny'], 'deny'],
    ['x.code-workspace', ['* * allow', '* ** deny@manifest'], 'deny'],
    ['src/a', ['* * allow'], 'refuse', { capabilities: { fs: { read: ['**'] } } }],
    ['src/a', ['* * allow'], 'allow', { capabilities: { fs: { write: ['src/**'] } } }],
    ['out/a', ['* * allow'], 'refuse', { capabilities: { fs: { write: ['**'] } } }],
    // A requirement without a glob is that path alone.
    ['src/a', ['* * allow'], 'refuse', { capabilities: { fs: { write: ['src'] } } }],
  ],
  HERE,
);

const SECRET = ['fs.read **/secret deny', ALL];
checkCalls('read', [
  // Case and accents as the disk folds them.
  ['SECRET', SECRET, 'allow'],
  ['SECRET', SECRET, 'deny', MAC],
  ['Secret', SECRET, 'deny', WINDOWS],
  ['cafe\u0301', ['read caf\u00e9 deny', ALL], 'deny', MAC],
  ['CAF\u00c9', ['read cafe\u0301 deny', ALL], 'deny', MAC],
  ['cafe\u0301', ['read caf\u00e9 deny', ALL], 'allow'],
  // Windows: drives, slashes, and the names that mean another file.
  ['C:\\Windows\\x', ['read C:/Windows deny', ALL], 'deny', WINDOWS],
  ['c:/WINDOWS/x', ['read C:\\Windows\\** deny', ALL], 'deny', WINDOWS],
  ['D:/x', ['read C:/** deny', ALL], 'allow', WINDOWS],
  ['src\\secret', SECRET, 'deny', WINDOWS],
  ['C:x', [ALL], 'ask', WINDOWS],
  ['\\\\server\\share\\x', [ALL], 'ask', WINDOWS],
  ['a.txt::$DATA', [ALL], 'ask', WINDOWS],
  ['src/NUL', [ALL], 'ask', WINDOWS],
  ['a.', [ALL], 'ask', WINDOWS],
  ['PROGRA~1/x', [ALL], 'ask', WINDOWS],
  ['//server/x', [ALL], 'refuse', { ...WINDOWS, capabilities: { fs: { read: ['/**'] } } }],
  ['C:\\a', ['read C:\\a allow'], 'allow', WINDOWS],
]);

// Folders of another platform than the running one are taken as that one writes them.
const DRIVE = { ...WINDOWS, workspace: 'C:\\w' };
checkCalls('read', [
  ['C:\\w\\src\\a', ['read {workspace}/** allow'], 'allow', DRIVE],
  ['c:/W/src/a', ['read {workspace}\\** allow'], 'allow', DRIVE],
  ['/w/src/a', ['read src\\a deny', ALL], 'deny', DRIVE],
  ['C:\\w2\\a', ['read {workspace}/** allow'], 'ask', DRIVE],
  ['a', ['read src/a deny', ALL], 'deny', { ...DRIVE, cwd: 'C:\\w\\src' }],
  ['a', ['read src/a deny', ALL], 'deny', { ...DRIVE, cwd: 'src' }],
  [
    'src/a',
    ['read {workspace}/src deny', ALL],
    'deny',
    { ...DRIVE, workspace: ['D:/v', 'c:/w'], cwd: 'C:/w' },
  ],
]);
