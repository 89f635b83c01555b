import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ConfinedStart } from '../../../../src/runtime/confined.ts';
import type { SandboxBed } from './bed.ts';

/**
 * Attempts of a program that may write the workspace for real to change one of its repositories. The names
 * of those that succeeded, with what they printed, and how many ran.
 */
export async function runLiveProbes(bed: SandboxBed): Promise<{ open: string[]; count: number }> {
  const root = path.join(bed.base, 'project');
  const run = async (command: string) => {
    const live = bed.sandbox.live({
      ...{ folder: path.join(bed.base, 'data/live'), workspace: [root], masks: [] },
    });
    const inProject: ConfinedStart = { prepare: (all) => live.prepare({ ...all, cwd: root }) };
    return (await bed.run(inProject, command)).output;
  };
  makeRepositories(root, bed.outside);
  const open: string[] = [];
  for (const [name, line] of Object.entries(PROBES)) {
    const before = readRepositories(root);
    const output = await run(line);
    if (readRepositories(root) !== before) open.push(`${name}: ${output}`);
  }
  const line =
    'echo x >packages/nested/file; mkdir made; mv made packages/nested/moved; echo y >sub/file';
  const output = await run(line);
  const files = ['packages/nested/file', 'sub/file'].map((name) =>
    readFileSync(path.join(root, name), 'utf8'),
  );
  const moved = statSync(path.join(root, 'packages/nested/moved'), { throwIfNoEntry: false });
  if (files.join('') !== 'x\ny\n' || !moved) open.push(`write the workspace: ${output}`);
  return { open, count: Object.keys(PROBES).length };
}

/** The folders of repositories: the workspace's own, a submodule's, nested ones, and one that lies apart. */
const GIT = '.git .git/modules/sub packages/nested/.git store/apart.git store/bare.git';

const PROBES: Readonly<Record<string, string>> = {
  'write hooks and settings of a repository': `for g in ${GIT}; do echo evil >$g/hooks/post-checkout; echo evil >>$g/config; rm $g/config; done`,
  'replace a repository':
    'for g in .git packages/nested/.git sub/.git; do mv $g x; rm -rf $g; mkdir $g; ln -sfn /tmp $g; done',
  'write a file that names a repository':
    'for f in sub/.git packages/deep/tree/.git apart/.git; do echo gitdir: /tmp >$f; rm -f $f; ln -f README $f; done',
  'move a folder above a repository': `for d in packages/nested packages sub packages/deep apart store; do
    mv $d moved; perl -e 'rename($ARGV[0], "moved")' $d; mkdir -p $d/.git/hooks; done`,
  'remount a repository writable': `for g in ${GIT}; do umount -l $g; mount -o remount,rw,bind $g; echo evil >>$g/config; done`,
};

function makeRepositories(root: string, outside: string): void {
  for (const git of GIT.split(' ')) {
    mkdirSync(path.join(root, git, 'hooks'), { recursive: true });
    writeFileSync(path.join(root, git, 'config'), '[core]\n');
  }
  const named = {
    sub: 'gitdir: ../.git/modules/sub\n',
    'packages/deep/tree': `gitdir: ${outside}/.git/worktrees/tree\n`,
    apart: 'gitdir: ../store/apart.git\n',
    'of bare': 'gitdir: ../store/bare.git/worktrees/tree\n',
  };
  mkdirSync(path.join(root, 'store/bare.git/worktrees/tree'), { recursive: true });
  writeFileSync(path.join(root, 'store/bare.git/worktrees/tree/commondir'), '../..\n');
  for (const [folder, text] of Object.entries(named)) {
    mkdirSync(path.join(root, folder), { recursive: true });
    writeFileSync(path.join(root, folder, '.git'), text);
  }
  writeFileSync(path.join(root, 'README'), 'own');
}

/** What lies in the repositories, and the files that name them, with their content. */
function readRepositories(root: string): string {
  const files = ['sub/.git', 'packages/deep/tree/.git', 'apart/.git'];
  const inside = GIT.split(' ').flatMap((git) =>
    readdirSync(path.join(root, git), { recursive: true, encoding: 'utf8' }).map(
      (name) => `${git}/${name}`,
    ),
  );
  const described = [...files, ...GIT.split(' '), ...inside].map((name) => {
    const stats = lstatSync(path.join(root, name));
    return [name, stats.ino, stats.isFile() ? readFileSync(path.join(root, name), 'utf8') : ''];
  });
  return JSON.stringify(described.sort());
}
