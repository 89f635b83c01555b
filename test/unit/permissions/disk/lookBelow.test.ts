import assert from 'node:assert/strict';
import { linkSync, mkdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { type LookRequest, lookBelow } from '../../../../src/permissions/disk/lookBelow.ts';
import { plantWorkspace } from '../ask.ts';

/** Looks for `.env` below a folder; hidden files count, and links aren't followed. */
async function look(folder: string, more: Partial<LookRequest> = {}) {
  const { found, links, gap } = await lookBelow(
    {
      folder,
      names: [],
      everyWay: false,
      skips: () => false,
      follows: false,
      platform: 'linux',
      links: new Map(),
      inodes: new Set(),
      namesIn: () => (name) => name === '.env',
      enters: () => true,
      countsWhole: (each) => path.basename(each) === 'secrets',
      leadsOut: (each) => !each.startsWith(`${folder}/`),
      leavesOut: () => false,
      ...more,
    },
    60_000,
  );
  return {
    found: found.map(({ name, folder: whole }) => (whole ? `${name}/` : name)),
    links: links.map(({ name, target }) => `${name} -> ${target === undefined ? '?' : 'out'}`),
    gap,
  };
}

const NOTHING = { found: [], links: [], gap: undefined };

test('files count by their names, and folders in which all count are one', async () => {
  const root = plantWorkspace([
    'a/.env',
    'a/b',
    'secrets/a',
    'secrets/b/c',
    'c/secrets/d/e',
    'x/s',
  ]);
  mkdirSync(path.join(root, 'empty/secrets/inner'), { recursive: true });
  assert.deepEqual(await look(root), {
    found: ['a/.env', 'c/secrets/', 'secrets/'],
    links: [],
    gap: undefined,
  });
  const hidden = plantWorkspace(['.env', 'a/.env', '.a/b/x']);
  assert.deepEqual(await look(hidden, { skips: (_, name) => name.startsWith('.') }), NOTHING);
  assert.deepEqual(await look(path.join(root, 'none')), NOTHING);
});

test('a folder is looked at by each way that leads to it, and no link leads around', async () => {
  const root = plantWorkspace(['a/b/.env']);
  symlinkSync(path.join(root, 'a'), path.join(root, 'a/b/up'));
  symlinkSync(path.join(root, 'a/b'), path.join(root, 'c'));
  const every = { follows: true, everyWay: true };
  assert.deepEqual((await look(root, every)).found, ['a/b/.env', 'c/.env']);
  assert.equal((await look(root, { follows: true })).found.length, 1);
  assert.deepEqual((await look(path.join(root, 'a/b'), every)).found, ['.env']);
});

test('folders are listed until every one was, though some are settled by their first file', async () => {
  const names = Array.from({ length: 40 }, (_, at) => `o${at}/d/.env`);
  const whole = Array.from({ length: 400 }, (_, at) => `w${at % 10}/secrets/${at}/file`);
  const { found } = await look(plantWorkspace([...names, ...whole]));
  assert.equal(found.filter((name) => name.endsWith('.env')).length, 40);
  assert.equal(found.filter((name) => name.endsWith('/')).length, 10);
});

test('another name of a file that is left out counts', async () => {
  const root = plantWorkspace(['a/.env', 'a/plain', 'b/.env']);
  linkSync(path.join(root, 'a/.env'), path.join(root, 'b/notes'));
  const leavesOut = (name: string) => name.endsWith('.env');
  assert.deepEqual((await look(root, { leavesOut })).found, ['b/notes']);
  rmSync(path.join(root, 'b/notes'));
  assert.deepEqual(await look(root, { leavesOut }), NOTHING);
});

test('a file that is removed while it is looked up has no other name', async () => {
  const root = plantWorkspace(['a/.env', 'a/plain']);
  const leavesOut = (name: string) => {
    if (name.endsWith('.env')) rmSync(path.join(root, name));
    return true;
  };
  assert.deepEqual(await look(root, { leavesOut }), NOTHING);
});

test('a file with one of the inodes counts whatever its name is', async () => {
  const root = plantWorkspace(['a/one', 'a/two', 'b/x']);
  linkSync(path.join(root, 'a/one'), path.join(root, 'b/notes'));
  const key = (name: string) => {
    const { dev, ino } = statSync(path.join(root, name));
    return `${dev}:${ino}`;
  };
  assert.deepEqual((await look(root, { inodes: new Set([key('a/one')]) })).found, [
    'a/one',
    'b/notes',
  ]);
  // A single name can't be another name of the file that a rule is about.
  assert.deepEqual((await look(root, { inodes: new Set([key('a/two')]) })).found, []);
  const leavesOut = (name: string) => name === 'b/notes';
  const left = await look(root, { inodes: new Set([key('a/one')]), leavesOut });
  assert.deepEqual(left.found, ['a/one']);
});

test('a link that leads out is listed, one that leads nowhere is not', async () => {
  const root = plantWorkspace(['real/.env', 'real/x', 'a/b']);
  const outside = plantWorkspace(['x', 'far/.env', 'key']);
  const link = (to: string, name: string) => symlinkSync(to, path.join(root, name));
  link(path.join(outside, 'x'), 'a/file');
  link(path.join(outside, 'far'), 'a/folder');
  link(path.join(outside, 'none'), 'a/dangling');
  link('loop', 'a/loop');
  link('/proc/self/cwd', 'a/own');
  link('../real/x', 'a/inside');
  link('../real/none', 'a/nowhere');
  assert.deepEqual(await look(root), { ...NOTHING, found: ['real/.env'] });
  assert.deepEqual(await look(root, { follows: true }), {
    found: ['a/folder/.env', 'real/.env'],
    links: ['a/file -> out', 'a/folder -> out', 'a/own -> ?'],
    gap: undefined,
  });
  const leavesOut = (name: string, kind: string) => kind === 'link' && name === 'a/folder';
  assert.deepEqual(await look(root, { follows: true, leavesOut }), {
    found: ['real/.env'],
    links: ['a/file -> out', 'a/own -> ?'],
    gap: undefined,
  });
});

test('what a link leads to counts by either of its names', async () => {
  const root = plantWorkspace(['real/key', 'real/.env', 'real/sub/key', 'a/x']);
  const folder = path.join(root, 'a');
  symlinkSync('../real', path.join(folder, 'alias'));
  symlinkSync('../real/key', path.join(folder, '.env'));
  symlinkSync('../real/.env', path.join(folder, 'plain'));
  symlinkSync('../real/sub/key', path.join(folder, 'other'));
  const namesIn = (each: string) => (name: string) =>
    name === '.env' || (name === 'key' && each.startsWith(`${folder}/alias`));
  const request = { follows: true, namesIn, leadsOut: () => false };
  assert.deepEqual((await look(folder, request)).found, [
    '.env',
    'alias/.env',
    'alias/key',
    'alias/sub/key',
    'plain',
  ]);
  const enters = (each: string) => each === `${folder}/alias/sub`;
  assert.equal((await look(folder, { ...request, enters })).found.length, 5);
  assert.deepEqual((await look(folder, { ...request, enters: () => false })).found, [
    '.env',
    'alias/.env',
    'alias/key',
    'plain',
  ]);
  assert.deepEqual((await look(folder, { ...request, follows: false })).found, []);
});

test('a search that can not be ended says why', async () => {
  const plantMany = (count: number) =>
    plantWorkspace(Array.from({ length: count }, (_, at) => `d${at}/.env`));
  assert.deepEqual((await look(plantMany(199))).gap, undefined);
  assert.deepEqual((await look(plantMany(200))).gap, { why: 'many' });
  const outside = plantWorkspace(['x']);
  const plantLinks = (count: number) => {
    const root = plantWorkspace(['a']);
    for (let at = 0; at < count; at += 1) symlinkSync(outside, path.join(root, `link${at}`));
    return root;
  };
  const follow = { follows: true, enters: () => false, namesIn: () => () => false };
  assert.deepEqual((await look(plantLinks(199), follow)).gap, undefined);
  assert.deepEqual((await look(plantLinks(200), follow)).gap, { why: 'many' });
  const one = plantWorkspace(['a/.env']);
  const request = { ...REQUEST, folder: one };
  assert.deepEqual((await lookBelow(request, 0)).gap, { why: 'time' });
  assert.deepEqual((await lookBelow(request, 60_000)).gap, undefined);
});

const REQUEST: LookRequest = {
  folder: '/nonexistent',
  names: [],
  everyWay: false,
  skips: () => false,
  follows: false,
  platform: 'linux',
  links: new Map(),
  inodes: new Set(),
  namesIn: () => () => true,
  enters: () => true,
  countsWhole: () => false,
  leadsOut: () => false,
  leavesOut: () => false,
};
