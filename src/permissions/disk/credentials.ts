import { readRegular } from '../../base/disk/readRegular.ts';
import { createStatCache } from '../../base/disk/statCache.ts';

/** More than any configuration that a person writes, in bytes. */
const MOST = 1024 * 1024;
const contents = createStatCache((file) => {
  const read = readRegular(file, MOST);
  // UTF-16 has a NUL at each second place, which is left out.
  return (
    read.state !== 'read' || findsCredential(read.bytes.toString('latin1').replaceAll('\0', ''))
  );
});

/**
 * Whether a configuration file holds a password or token, as those of npm and git may: a URL with a
 * user, or a setting with such a name. True if it can't be read or doesn't exist yet. `unsaved` is what the
 * editor shows instead, if it isn't saved.
 */
export function holdsCredential(file: string, unsaved?: string): boolean {
  if (unsaved !== undefined && (unsaved.length > MOST || findsCredential(unsaved))) return true;
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
/** Words in the name of a setting, whatever follows them there. */
const WORDS =
  'auth|passw|passphrase|token|secret|extraheader|cookie|_key|apikey|(?:access|account|private|shared|encryption)-?key';
/** What such a name ends with. `bypass` and `compass` are other words, and `PWD` alone is the current folder. */
const ENDS = String.raw`(?<!by|com|tres|over|sur)pass|\wpwd|(?<![$\{])\bpwd(?=["']?[ \t]{0,16}:)|(?:[_.-]|\b(?:root|admin|user|db))pw|credentials?`;
/** The names are of limited length, so that a long line without a value takes no long time. */
const NAMED = String.raw`[^\n]*?(?:(?:${WORDS})[\w.-]{0,64}|${ENDS})["']?[ \t]{0,16}`;
const SETTING = new RegExp(String.raw`^(?![ \t]*[#;])${NAMED}[=:]`, 'im');
/** A setting that is commented out still holds its value. After a colon, several words are a sentence. */
const VALUE = String.raw`["']?(?!\$\{|<)[^\s"']{6,512}`;
const COMMENT = new RegExp(
  String.raw`^[ \t]*[#;]${NAMED}(?:=[ \t]{0,16}${VALUE}|:[ \t]{0,16}${VALUE}["']?[ \t\r]*$)`,
  'im',
);
const COMMENTED_HEADER =
  /^[ \t]*[#;][^\n]*?authorization["']?[ \t]{0,16}[=:][ \t]{0,16}["']?(?:basic|bearer|token)[ \t]/im;
/** A credential helper that is a command, a key, or a token of a well-known form. */
const OTHER = new RegExp(
  [
    String.raw`helper\s*=\s*"?!|-----BEGIN`,
    String.raw`\b(?:gh[opsur]_|github_pat_|glpat-|npm_|xox[abprs]-|[sr]k_live_|sk-|hf_|pypi-|dckr_pat_)[\w-]{16}`,
    String.raw`\b(?:AKIA|ASIA)[A-Z0-9]{16}|\bAIza[\w-]{35}|\bya29\.[\w-]{16}`,
    String.raw`\beyJ[\w-]{8,2048}\.eyJ[\w-]{8,8192}\.[\w-]{16}`,
    String.raw`\bhooks\.slack\.com/services/\w|\bdiscord(?:app)?\.com/api/webhooks/\d`,
  ].join('|'),
  'i',
);

function findsCredential(text: string): boolean {
  const own = text.replace(PLACEHOLDER, '');
  return [USER_IN_URL, SETTING, COMMENT, COMMENTED_HEADER, OTHER].some((each) => each.test(own));
}
