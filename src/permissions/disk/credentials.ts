import { readRegular } from '../../base/disk/readRegular.ts';
import { createStatCache } from '../../base/disk/statCache.ts';

/** More than any configuration that a person writes, in bytes. */
const MOST = 1024 * 1024;
const contents = createStatCache((file) => {
  const read = readRegular(file, MOST);
  return read.state !== 'read' || findsCredential(read.bytes.toString('latin1'));
});

/**
 * Whether a configuration file holds a password or token, as those of npm and git may: a URL with a
 * user, or a setting with such a name. True if it can't be read or doesn't exist yet.
 */
export function holdsCredential(file: string): boolean {
  try {
    return contents.get(file) ?? true;
  } catch {
    // No permission.
    return true;
  }
}

/** `_authToken=${NPM_TOKEN}` names a variable, and holds nothing. */
const PLACEHOLDER = /^.*[=:][ \t]*["']?\$\{[A-Za-z_]\w*\}["']?[ \t\r]*$/gm;
const USER_IN_URL = /:\/\/(?!git@)[^\s/"'@]+@/i;
const NAMED = String.raw`[^\n]*?(?:auth|passw|token|secret|extraheader|cookie|api_?key|_key)[\w.-]*["']?[ \t]*[=:]`;
const SETTING = new RegExp(String.raw`^(?![ \t]*[#;])${NAMED}`, 'im');
/** A setting that is commented out still holds its value. A sentence has several words there. */
const COMMENT = new RegExp(
  String.raw`^[ \t]*[#;]${NAMED}[ \t]*(?:[\w-]+:[ \t]*)?(?:(?:basic|bearer|token)[ \t]+)?["']?[^\s"'$<>{}]{6,}["']?[ \t\r]*$`,
  'im',
);
/** A credential helper that is a command, or a key. */
const OTHER = /helper\s*=\s*"?!|-----BEGIN/i;

function findsCredential(text: string): boolean {
  const own = text.replace(PLACEHOLDER, '');
  return [USER_IN_URL, SETTING, COMMENT, OTHER].some((each) => each.test(own));
}
