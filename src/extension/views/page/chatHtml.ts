/** The variable parts of the page. The folder's URI is a result of `asWebviewUri`. */
export interface ChatHtmlParts {
  readonly cspSource: string;
  readonly nonce: string;
  /** The text of the page's script. Scripts that it loads later are beside it, in `folder`. */
  readonly script: string;
  /** The text of the page's style, which holds the icon font. */
  readonly style: string;
  /** `dist/webview`. */
  readonly folder: string;
  readonly language: string;
  readonly title: string;
  /** The page is an editor: it has an editor's background, and more room than its text should take. */
  readonly inEditor?: boolean;
  /** What the page shows until its session is there. */
  readonly kept?: KeptHtml;
}

export interface KeptHtml {
  /** The key of the session. */
  readonly session: string;
  /** Made by `screenHtml` only. */
  readonly html: string;
  /** The text of what hands over to the live rows, and starts the page's script. */
  readonly script: string;
}

/**
 * The HTML of the chat. Its script and style stand in it, because each file takes a request through the
 * workbench and back, and the editor hides the page until those that its style names are there. The page can
 * only run and draw these, and load the extension's own scripts: other inline scripts and styles and remote
 * resources are blocked (corpus WE-035). Workers get text that such a script made.
 */
export function chatHtml(parts: ChatHtmlParts): string {
  const csp = [
    "default-src 'none'",
    `script-src 'nonce-${parts.nonce}'`,
    'worker-src blob:',
    `style-src 'nonce-${parts.nonce}'`,
    'font-src data:',
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
<style nonce="${parts.nonce}">${inlineStyle(parts.style)}</style>
<title>${escapeHtml(parts.title)}</title>
</head>
<body${parts.inEditor ? ' class="in-editor"' : ''}>
${keptHtml(parts)}<div id="root"></div>
<script${parts.kept ? ' type="text/plain"' : ''} nonce="${parts.nonce}" data-folder="${escapeHtml(parts.folder)}/">${inlineScript(parts.script)}</script>
${parts.kept ? `<script nonce="${parts.nonce}">${inlineScript(parts.kept.script)}</script>\n` : ''}</body>
</html>`;
}

/** It can't be used, found or heard: a screen reader is told that the chat is being opened. */
function keptHtml({ kept, title }: ChatHtmlParts): string {
  if (kept === undefined) return '';
  return `<main class="kept-start hidden" aria-busy="true"><h1>${escapeHtml(title)}</h1></main>
<div class="kept" aria-hidden="true" data-session="${escapeHtml(kept.session)}"><div inert>${kept.html}</div></div>\n`;
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

/** The style without what would end it. */
function inlineStyle(text: string): string {
  return text.replace(/<(?=\/style)/gi, '\\3c ');
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
