/**
 * What markdown-it needs of the library `entities`, which the page's build replaces by this: the browser
 * has the same table of names, which would be a tenth of the page's script.
 *
 * Decodes one named reference, such as `&copy;`. Others return unchanged.
 */
export function decodeHTMLStrict(reference: string): string {
  if (!/^&[a-z][a-z0-9]*;$/i.test(reference)) return reference;
  const element = document.createElement('i');
  element.innerHTML = reference;
  const text = element.textContent;
  // The browser takes the begin of `&notit;` for `&not`, as old pages need it, and leaves the rest.
  return text.endsWith(';') && reference !== '&semi;' ? reference : text;
}
