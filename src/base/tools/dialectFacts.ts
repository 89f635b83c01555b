/** One question of *New Tool…*. Its texts are keys of the translations. */
export interface NameQuestion {
  readonly prompt: string;
  readonly pattern: RegExp;
  /** What the pattern requires, shown when an answer does not match. */
  readonly rule: string;
}

/**
 * What the protocol, the command line and the editor know of a manifest dialect. How its manifests are
 * parsed and its tools run is in the tables under `declared`.
 */
export interface DialectFacts {
  /** What its tools run, as a choice of *New Tool…*. A key of the translations. */
  readonly runs: string;
  /** The dialect's name and its file. */
  readonly format: string;
  /** Asks for `name`. */
  readonly nameQuestion: NameQuestion;
  /** Asks for `tool`, where `name` is the agent that the tool belongs to. */
  readonly toolQuestion?: NameQuestion;
  /** A new tool needs a program or a URL. */
  readonly needsTransport: boolean;
  /** Manifests by their path. */
  readonly file: RegExp;
  /** What the start of a file must match as well, where the path alone does not make it a manifest. */
  readonly head?: RegExp;
  /** The documents in which the editor looks for manifests. */
  readonly documents: { readonly pattern: string } | { readonly language: string };
  /** Names of files that are validated together with the manifest beside them. */
  readonly neighbours: readonly string[];
  /** Globs, below any folder, of files whose change may change a manifest's diagnostics. */
  readonly watched: readonly string[];
}

/** In the order of *New Tool…*. */
const DIALECT_FACTS = {
  agentcli: {
    runs: 'A program in this folder',
    format: 'agentcli · tools.json',
    nameQuestion: {
      prompt: 'Tool name',
      pattern: /^[A-Za-z0-9_-]{1,62}$/,
      rule: 'Use letters, digits, "_" and "-".',
    },
    needsTransport: false,
    file: /(?:^|[\\/])tools\.json$/,
    documents: { pattern: '**/tools.json' },
    neighbours: [],
    watched: ['tools.json', 'tools/bin/*'],
  },
  compozy: {
    runs: 'A function in TypeScript',
    format: 'Compozy · YAML',
    nameQuestion: {
      prompt: 'Tool ID',
      pattern: /^[a-z0-9]+(?:-[a-z0-9]+)*$/,
      rule: 'Use lowercase letters, digits and hyphens, for example file-reader.',
    },
    needsTransport: false,
    file: /\.ya?ml$/i,
    head: /^(?:"resource"|resource)\s*:/m,
    documents: { language: 'yaml' },
    neighbours: [],
    watched: ['compozy.yaml', 'compozy.yml', 'tools.ts', 'schemas/*.json'],
  },
  runloop: {
    runs: 'A program or an HTTP service of an agent',
    format: 'Runloop · tools.json',
    nameQuestion: {
      prompt: 'Agent name',
      pattern: /^[a-z][a-z0-9_]*$/,
      rule: 'Use lowercase letters, digits and "_", starting with a letter.',
    },
    toolQuestion: {
      prompt: 'Tool ID',
      pattern: /^[A-Za-z0-9_./-]{1,62}$/,
      rule: 'Use letters, digits, ".", "/", "_" and "-", for example mail.send.',
    },
    needsTransport: true,
    file: /(?:^|[\\/])tools\.json$/,
    documents: { pattern: '**/tools.json' },
    neighbours: ['manifest.toml', 'policy.caps'],
    watched: ['tools.json', 'manifest.toml', 'policy.caps', 'schemas/*.json'],
  },
} as const satisfies Readonly<Record<string, DialectFacts>>;

/** The id of a manifest dialect. */
export type DialectId = keyof typeof DIALECT_FACTS;

const FACTS: ReadonlyMap<string, DialectFacts> = new Map(Object.entries(DIALECT_FACTS));

export function isDialectId(id: unknown): id is DialectId {
  return typeof id === 'string' && FACTS.has(id);
}

export const DIALECT_IDS: readonly DialectId[] = Object.keys(DIALECT_FACTS).filter(isDialectId);

/** The dialect of a bundle: what `gatehouse scaffold` creates unless it is told otherwise (spec D-28). */
export const BUNDLE_DIALECT: DialectId = 'runloop';

export function getDialectFacts(id: DialectId): DialectFacts {
  return DIALECT_FACTS[id];
}
