import path from 'node:path';
import { FILE_CHANGERS, findLockedTools } from '../../../base/tools/toolFacts.ts';
import { escapeGlob } from '../../../permissions/patterns/pathPattern.ts';
import type { Rule } from '../../../permissions/rules/rule.ts';

/** A session's own folder, for as long as no folder is open (spec CS-103). */
export interface Scratch {
  /** Absolute. */
  readonly folder: string;
  /** Covers the folder and everything below it. */
  readonly pattern: string;
  /** Files in it are read and written without asking. */
  readonly rules: readonly Rule[];
}

const FILE_TOOLS = [
  'fs.read',
  'fs.write',
  ...findLockedTools(({ access }) => access === 'fs.read'),
  ...FILE_CHANGERS,
];

export function createScratch(parent: string, sessionId: string): Scratch {
  const folder = path.join(parent, sessionId);
  const pattern = `${escapeGlob(folder.replaceAll(path.sep, '/'))}/**`;
  const rules = FILE_TOOLS.map((permission, index): Rule => {
    const origin = { layer: 'default', index } as const;
    return { permission, pattern, action: 'allow', source: 'manifest', origin };
  });
  return { folder, pattern, rules };
}
