import path from 'node:path';
import { isRecord, recordOf } from '../../base/json.ts';
import type { RuleOrigin } from '../../permissions/rules/rule.ts';
import type { Sources, WorkspaceFacts, WrittenRule } from './configuration.ts';

/** Reads the params of `_gatehouse/configure`; undefined when they are not a snapshot at all. */
export function parseSnapshot(params: unknown): Sources | undefined {
  const { workspace, editor, settings, rules } = recordOf(params);
  if (!isRecord(workspace)) return undefined;
  const { rgPath } = recordOf(editor);
  return {
    raw: recordOf(settings),
    rules: toList(rules).map(toWritten),
    workspace: toWorkspace(workspace),
    ...(typeof rgPath === 'string' && path.isAbsolute(rgPath) ? { rgPath } : {}),
  };
}

/** Anything but a clear yes is not trusted. */
function toWorkspace(workspace: Readonly<Record<string, unknown>>): WorkspaceFacts {
  return {
    roots: toFolders(workspace['roots']),
    adHoc: toFolders(workspace['adHoc']),
    trusted: workspace['trusted'] === true,
  };
}

function toFolders(value: unknown): readonly string[] {
  return toList(value).filter(
    (each): each is string => typeof each === 'string' && path.isAbsolute(each),
  );
}

/** A rule whose origin cannot be read is taken for the workspace's: that only tightens. */
function toWritten(value: unknown, at: number): WrittenRule {
  const entry = recordOf(value);
  const written = recordOf(entry['origin']);
  const layer = LAYERS.find((each) => each === written['layer']) ?? 'workspace';
  const { file, folder, index } = { file: undefined, folder: undefined, index: at, ...written };
  const origin: RuleOrigin = {
    layer,
    index: typeof index === 'number' ? index : at,
    ...(typeof file === 'string' ? { file } : {}),
    ...(typeof folder === 'string' ? { folder } : {}),
  };
  return { entry, origin };
}

const LAYERS = ['default', 'user', 'workspace', 'folder'] as const;

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
