/** The variable parts of the page. The folder's URI is a result of `asWebviewUri`. */
export interface ChatHtmlParts {
  readonly cspSource: string;
  readonly nonce: string;
  /** The text of the page's script. Scripts that it loads later are beside it, in `folder`. */
  readonly script: string;
  /** The text of the page's style. The icon font is in `folder`. */
  readonly style: string;
  /** `dist/webview`. */
  readonly folder: string;
  readonly language: string;
  readonly title: string;
  /** The page is an editor: it has an editor's background, and more room than its text should take. */
  readonly inEditor?: boolean;
}

/**
 * The HTML of the chat. Its script and style stand in it, because each file takes a request through the
 * workbench and back. The page can only run and draw these, and load the extension's own scripts and icon
 * font: other inline scripts and styles and remote resources are blocked (corpus WE-035). Workers get text
 * that such a script made.
 */
export function chatHtml(parts: ChatHtmlParts): string {
  const csp = [
    "default-src 'none'",
    `script-src 'nonce-${parts.nonce}'`,
    'worker-src blob:',
    `style-src 'nonce-${parts.nonce}'`,
    `font-src ${parts.cspSource}`,
    `img-src ${parts.cspSource} data:`,
    "connect-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${escapeHtml(parts.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(csp)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style nonce="${parts.nonce}">${inlineStyle(parts.style, parts.folder)}</style>
<title>${escapeHtml(parts.title)}</title>
</head>
<body${parts.inEditor ? ' class="in-editor"' : ''}>
<div id="root"></div>
<script nonce="${parts.nonce}" data-folder="${escapeHtml(parts.folder)}/">${inlineScript(parts.script)}</script>
</body>
</html>`;
}

/** The page of a chat that could not be loaded. */
export function failureHtml({
  language,
  title,
  text,
}: Pick<ChatHtmlParts, 'language' | 'title'> & { readonly text: string }): string {
  return `<!DOCTYPE html>
<html lang="${escapeHtml(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;">
<title>${escapeHtml(title)}</title>
</head>
<body><p role="alert">${escapeHtml(text)}</p></body>
</html>`;
}

/**
 * The script without what would end it, or what would hide its end, in HTML. Minified code has these
 * characters only in strings and regular expressions, where the escape means the same.
 */
function inlineScript(text: string): string {
  return text.replace(/<(?=!--|\/script)/gi, '\\x3c');
}

/** The style without what would end it. Its URLs are relative to a file, which it no longer is. */
function inlineStyle(text: string, folder: string): string {
  return text
    .replace(/<(?=\/style)/gi, '\\3c ')
    .replace(/url\((["']?)\.\//g, (_, quote: string) => `url(${quote}${folder}/`);
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
