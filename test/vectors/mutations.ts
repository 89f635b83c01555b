/** A change of a clause's code, by which its vectors have to fail. */
export interface Mutation {
  /** Below `src/`. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** What breaks the clause of each vector that the seeds 20261122 and 20261125 pick. */
export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'VA-12': {
    file: 'declared/run/runProgram.ts',
    from: "if (env['HOME']) kept['HOME'] = env['HOME'];",
    to: 'Object.assign(kept, env);',
  },
  'VA-15': {
    file: 'declared/agentcli/parseAgentcli.ts',
    from: "if (normal === '') return 'empty name';",
    to: "if (normal === ' ') return 'empty name';",
  },
  'VA-26': {
    file: 'declared/run/runOutcome.ts',
    from: 'const QUOTED_BYTES = 1000;',
    to: 'const QUOTED_BYTES = 10_000;',
  },
  'VA-27': {
    file: 'host/cli/toolsExport.ts',
    from: '...(parameters !== undefined && { parameters }),',
    to: '...(parameters === undefined && { parameters }),',
  },
  'VB-1': {
    file: 'declared/manifest/parseGo.ts',
    from: "total += (BigInt(fraction || '0') * scale) / 10n ** BigInt(fraction.length);",
    to: 'total += 0n;',
  },
  'VB-4': {
    file: 'declared/manifest/parseGo.ts',
    from: "if (integer === '' && fraction === '') return invalid;",
    to: "if (integer === '' && fraction === '') break;",
  },
  'VB-9': {
    file: 'declared/compozy/compozyTool.ts',
    from: 'schema: input ?? true,',
    to: 'schema: true,',
  },
  'VB-12': {
    file: 'declared/compozy/compozyTool.ts',
    from: '...Object.entries(isRecord(args) ? args : {}),',
    to: '...Object.entries(isRecord(args) ? args : {}), ...Object.entries(defaults),',
  },
  'VB-15': {
    file: 'declared/compozy/compozyTool.ts',
    from: "const result = getField(reply, 'result') ?? {};",
    to: "const result = getField(reply, 'result');",
  },
  'VB-22': {
    file: 'declared/compozy/parseEnv.ts',
    from: 'if (!LOADER_VARIABLES.has(name)) return undefined;',
    to: "if (name !== '') return undefined;",
  },
  'VB-23': {
    file: 'declared/compozy/parseEnv.ts',
    from: 'if (/[\\n\\r\\0]/.test(value)) {',
    to: 'if (/[\\r\\0]/.test(value)) {',
  },
  'VB-24': {
    file: 'declared/compozy/parseEnv.ts',
    from: "if (top !== 'env' ||",
    to: "if (top !== '' ||",
  },
  'VB-25': {
    file: 'declared/compozy/dialect.ts',
    from: 'toKey: (id) => id.trim().toLowerCase(),',
    to: 'toKey: (id) => id.trim(),',
  },
  'VB-27': {
    file: 'declared/compozy/parseCompozy.ts',
    from: 'if (known && autoloaded) {',
    to: 'if (known) {',
  },
  'VB-28': {
    file: 'declared/compozy/parseProject.ts',
    from: "if (pattern.split(/[\\\\/]/).includes('..')) {",
    to: "if (pattern.split(/[\\\\/]/).includes('...')) {",
  },
  'VB-31': {
    file: 'declared/compozy/compozyTool.ts',
    from: "otherwise: 'draft-07',",
    to: "otherwise: '2020-12',",
  },
  'VD-3': {
    file: 'declared/runloop/parseRunloop.ts',
    from: '} else if (version !== 1) {',
    to: '} else if (version === 0) {',
  },
  'VD-8': {
    file: 'declared/runloop/parseTransport.ts',
    from: "if (kind === 'http') return",
    to: "if (kind === 'http' || kind === 'unix') return",
  },
  'VD-9': {
    file: 'declared/runloop/parseTransport.ts',
    from: 'if (!path.isAbsolute(command)) {',
    to: "if (command === '') {",
  },
  'VD-10': {
    file: 'declared/runloop/parseRunloop.ts',
    from: 'if (seen.has(id)) refuse(',
    to: "if (seen.has('')) refuse(",
  },
  'VD-13': {
    file: 'declared/runloop/parseBundle.ts',
    from: "diagnostics.error('', message, { fix: { title: 'Add [artifacts.tools]', file, edits } });",
    to: "diagnostics.warning('', message, { fix: { title: 'Add [artifacts.tools]', file, edits } });",
  },
  'VD-14': {
    file: 'declared/runloop/parseBundle.ts',
    from: 'if (version !== 1) {',
    to: 'if (version === 0) {',
  },
  'VD-15': {
    file: 'declared/runloop/parseBundle.ts',
    from: "if (documentPath !== 'tools.json') {",
    to: 'if (documentPath === undefined) {',
  },
  'VD-16': {
    file: 'declared/runloop/parseCaps.ts',
    from: 'const usual = need.http ? 80 : 443;',
    to: 'const usual = 80;',
  },
  'VD-17': {
    file: 'declared/runloop/parseCaps.ts',
    from: "if (net.hosts.length === 0) return 'no_hosts';",
    to: 'if (net.hosts.length === 0) return undefined;',
  },
  'VD-18': {
    file: 'declared/runloop/parseCaps.ts',
    from: "if (named.length === 0) return 'host_not_permitted';",
    to: 'if (named.length === 0) return undefined;',
  },
  'VD-23': {
    file: 'declared/runloop/runloopTool.ts',
    from: 'const redact = redactValues([...secrets.data.values()]);',
    to: 'const redact = redactValues([]);',
  },
  'VD-28': {
    file: 'declared/runloop/runHttp.ts',
    from: 'return encodeURIComponent(wellFormed(String(value)));',
    to: 'return wellFormed(String(value));',
  },
  'VC-8': {
    file: 'agentDefinitions/definition.ts',
    from: 'withDefaults(requires, families, files),',
    to: 'withDefaults({}, families, files),',
  },
  'VC-10': {
    file: 'permissions/patterns/roots.ts',
    from: 'workspace: folders.workspace.map(real),',
    to: 'workspace: [...folders.workspace, folders.cwd].map(real),',
  },
  'VC-11': {
    file: 'permissions/rules/scope.ts',
    from: 'const allowsRead = (path: string) => ownSidecar(path) ||',
    to: 'const allowsRead = (path: string) => true || ownSidecar(path) ||',
  },
  'VC-12': {
    file: 'permissions/patterns/roots.ts',
    from: 'folders.map((folder) => each.replace(written, () => quote(folder))),',
    to: 'folders.slice(0, 1).map((folder) => each.replace(written, () => quote(folder))),',
  },
  'VC-40': {
    file: 'permissions/rules/scope.ts',
    from: '(!inState(path) && inside(read, path));',
    to: '!inState(path);',
  },
};
