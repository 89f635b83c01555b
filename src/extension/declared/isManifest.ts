/** Number of characters at the start of a YAML file that are searched for `resource`. */
const HEAD = 4096;

/** Whether a document declares tools: `tools.json`, or YAML with a `resource`. */
export function isManifest(file: string, head: (length: number) => string): boolean {
  if (/(?:^|[\\/])tools\.json$/.test(file)) return true;
  return /\.ya?ml$/i.test(file) && /^(?:"resource"|resource)\s*:/m.test(head(HEAD));
}
