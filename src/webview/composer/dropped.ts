/** What of a paste or a drop is attached. */
export interface Dropped {
  readonly uris: readonly string[];
  readonly images: readonly File[];
  /** The text, if nothing is attached. */
  readonly text: string;
}

/** Largest image, in bytes; the agent's own limit is the same. */
export const LARGEST_IMAGE = 10 * 1024 * 1024;

/** The types under which the editor and the system name files that are dragged. */
const URI_TYPES = ['application/vnd.code.uri-list', 'text/uri-list'] as const;

/** The files and images of a paste or a drop. */
export function readDropped(data: Pick<DataTransfer, 'getData' | 'files'>): Dropped {
  const list = URI_TYPES.map((type) => data.getData(type)).find(Boolean) ?? '';
  const uris = parseUriList(list);
  // A file that has an address is read from there, not from the page's copy.
  if (uris.length > 0) return { uris, images: [], text: '' };
  const images = [...data.files].filter(({ type }) => type.startsWith('image/'));
  const text = data.getData('text/plain') || list;
  // Office programs copy a picture of their text with it.
  if (text !== '' && !namesFiles(text, images)) return { uris, images: [], text };
  return { uris, images, text: '' };
}

/** Whether a text only names the files that come with it. */
function namesFiles(text: string, files: readonly File[]): boolean {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  return lines.every((line) => files.some(({ name }) => line.split('/').at(-1) === name));
}

/** Whether a drag has text alone, which the input takes by itself. */
export function isTextDrag(types: readonly string[]): boolean {
  return !types.some((type) => type === 'Files' || type.includes('uri-list'));
}

/** The addresses of a list after RFC 2483. Web pages are no files. */
export function parseUriList(text: string): readonly string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => /^[a-z][a-z0-9+.-]*:\//i.test(line) && !/^https?:/i.test(line));
}

/** The name at the end of an address. */
export function toUriLabel(uri: string): string {
  const name =
    uri
      .replace(/[?#].*$/, '')
      .replace(/\/+$/, '')
      .split('/')
      .at(-1) ?? '';
  try {
    return decodeURIComponent(name) || uri;
  } catch {
    return name;
  }
}

/** The bytes of a file as Base64. */
export function readBase64(file: Blob): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reader = new FileReader();
  reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
  reader.onerror = () => reject(reader.error);
  reader.readAsDataURL(file);
  return promise;
}
