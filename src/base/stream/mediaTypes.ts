/** The standard spelling of an image type that vision models accept; undefined for other types. */
export function toModelImage(mediaType: string): string | undefined {
  return IMAGES.get(mediaType.toLowerCase());
}

/** Whether the bytes are text, whatever block type they arrived in: an SVG is text, too. */
export function isTextType(mediaType: string): boolean {
  return TEXT.test(mediaType.toLowerCase());
}

const IMAGES: ReadonlyMap<string, string> = new Map([
  ['image/png', 'image/png'],
  ['image/jpeg', 'image/jpeg'],
  ['image/jpg', 'image/jpeg'],
  ['image/gif', 'image/gif'],
  ['image/webp', 'image/webp'],
]);

const TEXT =
  /^(?:text\/|application\/(?:json|xml|javascript|yaml|toml)\b|[^/]+\/[^;]+\+(?:json|xml)\b)/;
