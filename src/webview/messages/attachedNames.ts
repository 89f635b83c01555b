/** What was attached to a message of the user. */
export interface AttachedName {
  readonly icon: 'file' | 'server' | 'file-media';
  readonly name: string;
  /** Where its name leads, if that is a page or a file. */
  readonly href?: string;
}

const LINK = /^\[(.+)\]\((\S+)\)$/;
const OTHER = /^\((resource|image|audio)(?:: (.+))?\)$/;

/**
 * The words of a message, and what is attached to it: `contentText` of the extension writes each
 * attachment on a line of its own behind the words.
 */
export function splitAttached(text: string): {
  readonly words: string;
  readonly attached: readonly AttachedName[];
} {
  const lines = text.replace(/\n+$/, '').split('\n');
  const attached: AttachedName[] = [];
  for (let line = lines.at(-1); line !== undefined; line = lines.at(-1)) {
    const found = readName(line);
    if (found === undefined) break;
    attached.unshift(found);
    lines.pop();
  }
  return attached.length === 0 ? { words: text, attached } : { words: lines.join('\n'), attached };
}

function readName(line: string): AttachedName | undefined {
  const [, name, uri] = LINK.exec(line) ?? [];
  if (name !== undefined && uri !== undefined) {
    const href = toHref(uri);
    return { icon: 'file', name, ...(href !== undefined && { href }) };
  }
  const [, kind, label] = OTHER.exec(line) ?? [];
  if (kind === undefined) return undefined;
  return { icon: kind === 'resource' ? 'server' : 'file-media', name: label ?? kind };
}

/** Links to files are paths in the chat. */
function toHref(uri: string): string | undefined {
  const url = URL.parse(uri);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.href;
  if (url?.protocol !== 'file:' || url.host !== '') return undefined;
  return url.pathname.replace(/^\/(?=[a-z]:)/i, '');
}
