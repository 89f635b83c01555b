/** The variable parts of the page. URIs are results of `asWebviewUri`. */
export interface ChatHtmlParts {
  readonly cspSource: string;
  readonly nonce: string;
  readonly script: string;
  readonly style: string;
  readonly language: string;
  readonly title: string;
  /** The page is an editor: it has an editor's background, and more room than its text should take. */
  readonly inEditor?: boolean;
}

/**
 * The HTML of the chat. The page can only load the extension's script, styles and icon font: inline
 * styles and remote resources are blocked (corpus WE-035). Workers get text that such a script made.
 */
export function chatHtml(parts: ChatHtmlParts): string {
  const csp = [
    "default-src 'none'",
    `script-src 'nonce-${parts.nonce}'`,
    'worker-src blob:',
    `style-src ${parts.cspSource}`,
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
<link rel="stylesheet" href="${escapeHtml(parts.style)}">
<title>${escapeHtml(parts.title)}</title>
</head>
<body${parts.inEditor ? ' class="in-editor"' : ''}>
<div id="root"></div>
<script nonce="${parts.nonce}" src="${escapeHtml(parts.script)}"></script>
</body>
</html>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
