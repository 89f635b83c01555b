import * as vscode from 'vscode';

/** Characters of many scripts, by whose bytes encodings differ. */
const PROBE = [
  ...[0xa0, 0x17f, 0x2c0, 0x2df, 0x370, 0x45f, 0x490, 0x491, 0x5d0, 0x5ea, 0x600, 0x6ff],
  ...[0xe01, 0xe5b, 0x1ea0, 0x1ef9, 0x2010, 0x2044, 0x20a0, 0x20bf, 0x2116, 0x2122],
  ...[0x2190, 0x2260, 0x2500, 0x2593, 0x3041, 0x3094, 0x30a1, 0x30fa, 0x4e00, 0x4e40],
  ...[0x570b, 0x570b, 0xac00, 0xac40, 0xff61, 0xff9f],
];

/**
 * The `files.encoding` that VS Code uses for a file, open or not, with the setting of its language. The
 * API tells no language of a file that isn't open, so its encoding is found by encoding some text.
 */
export async function findFileEncoding(uri: vscode.Uri): Promise<string> {
  const files = vscode.workspace.getConfiguration('files', uri);
  const configured = files.get('encoding', 'utf8');
  const languages = files.inspect('encoding')?.languageIds ?? [];
  if (languages.length === 0) return configured;
  const known = languages.map((languageId) =>
    vscode.workspace.getConfiguration('files', { uri, languageId }).get('encoding', 'utf8'),
  );
  const text = toProbe();
  const used = await vscode.workspace.encode(text, { uri });
  for (const encoding of new Set([configured, 'utf8', ...known])) {
    const bytes = await vscode.workspace.encode(text, { encoding });
    if (Buffer.compare(bytes, used) === 0) return encoding;
  }
  return configured;
}

function toProbe(): string {
  let text = '';
  for (let at = 0; at < PROBE.length; at += 2) {
    const [first = 0, last = 0] = PROBE.slice(at, at + 2);
    for (let code = first; code <= last; code += 1) text += String.fromCharCode(code);
  }
  return text;
}
