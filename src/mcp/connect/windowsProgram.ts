import { readFileSync, statSync } from 'node:fs';
import { win32 } from 'node:path';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import { KB } from '../../base/units.ts';

type Argv = readonly [string, ...string[]];

/** Where programs are looked up. The two functions are replaced by tests. */
export interface ProgramLookup {
  readonly env: NodeJS.ProcessEnv;
  /** Absolute. */
  readonly cwd: string;
  isFile?(file: string): boolean;
  read?(file: string): string;
}

/**
 * What Windows starts for a program by its name. Node starts no batch files such as `npx.cmd` without
 * cmd.exe, which would read the arguments as its own language; those of npm name a script, and Node runs it.
 */
export function resolveWindowsProgram(argv: Argv, lookup: ProgramLookup): Outcome<Argv> {
  const [name, ...args] = argv;
  const file = findFile(name, lookup);
  // Starting it fails with the system's words.
  if (file === undefined) return success(argv);
  if (!/\.(?:cmd|bat)$/i.test(file)) return success([file, ...args]);
  const script = findScript(file, lookup);
  const node = script && findNode(win32.dirname(file), lookup);
  if (script === undefined || node === undefined) {
    return failure(
      `${file} is a batch file, which only a shell can start. Name the program that it starts instead, such as "node" with a script.`,
    );
  }
  return success([node, script, ...args]);
}

const EXTENSIONS = '.COM;.EXE;.BAT;.CMD';

function findFile(name: string, lookup: ProgramLookup): string | undefined {
  const { env, cwd, isFile = isRegular } = lookup;
  const extensions = (getVariable(env, 'PATHEXT') ?? EXTENSIONS).toLowerCase().split(';');
  const isWhole = extensions.includes(win32.extname(name).toLowerCase());
  const isPath = /[\\/:]/.test(name);
  // A relative folder would find programs in the workspace.
  const folders = (getVariable(env, 'PATH') ?? '').split(';').filter(win32.isAbsolute);
  const bases = isPath
    ? [win32.resolve(cwd, name)]
    : folders.map((folder) => win32.join(folder, name));
  return bases
    .flatMap((base) => [...(isWhole ? [base] : []), ...extensions.map((each) => base + each)])
    .find((file) => /\.(?:exe|com|cmd|bat)$/i.test(file) && isFile(file));
}

/** Windows compares names of variables without case. */
function getVariable(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const key = Object.keys(env).find((each) => each.toUpperCase() === name);
  return key === undefined ? undefined : env[key];
}

/** The script that a batch file of npm or of a package runs with Node. */
function findScript(file: string, lookup: ProgramLookup): string | undefined {
  const { isFile = isRegular, read = readHead } = lookup;
  const text = read(file);
  const [, program = '', target = ''] = /"%(\w+)%"[ \t]+"(%[^"\r\n]+)"[ \t]+%\*/.exec(text) ?? [];
  const runsNode = new RegExp(`SET "${program}=node"`, 'i').test(text);
  if (target === '' || !runsNode) return undefined;
  const [, variable] = /^%(\w+)%$/.exec(target) ?? [];
  const assigned = variable && new RegExp(`SET "${variable}=([^"\r\n]+)"`, 'i').exec(text)?.[1];
  const own = (assigned ?? target).replace(/^%~?dp0%?\\?/i, '');
  if (own.includes('%')) return undefined;
  const script = win32.resolve(win32.dirname(file), own);
  return isFile(script) ? script : undefined;
}

/** The one beside the batch file, as npm's own do. */
function findNode(folder: string, lookup: ProgramLookup): string | undefined {
  const { isFile = isRegular } = lookup;
  const own = win32.join(folder, 'node.exe');
  return isFile(own) ? own : findFile('node.exe', lookup);
}

function isRegular(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

/** Far longer than those of npm. */
const BATCH_BYTES = 32 * KB;

function readHead(file: string): string {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? Number.POSITIVE_INFINITY;
  return size > BATCH_BYTES ? '' : readFileSync(file, 'utf8');
}
