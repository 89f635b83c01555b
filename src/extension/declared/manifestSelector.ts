import { DIALECT_IDS, getDialectFacts } from '../../base/tools/dialectFacts.ts';

/** The documents that may be manifests. */
export const MANIFEST_SELECTOR: readonly ManifestFilter[] = [
  // Dialects may share a file name.
  ...new Map(
    DIALECT_IDS.map((id) => getDialectFacts(id).documents).map(
      (documents) => [JSON.stringify(documents), { scheme: 'file', ...documents }] as const,
    ),
  ).values(),
];

/** The files that are validated together with a manifest beside them. */
export const NEIGHBOUR_SELECTOR: readonly ManifestFilter[] = DIALECT_IDS.flatMap((id) =>
  getDialectFacts(id).neighbours.map((name) => ({ scheme: 'file', pattern: `**/${name}` })),
);

interface ManifestFilter {
  readonly scheme: string;
  readonly pattern?: string;
  readonly language?: string;
}
