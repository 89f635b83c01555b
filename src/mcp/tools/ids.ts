/** Names that rules and the model use for the tools of MCP servers. */

/** Ids longer than this are refused by endpoints. */
const ID_LENGTH = 64;

/** What rules and ids name the editor's other extensions by. No configured server has this name. */
export const EDITOR_SERVER = 'vscode';

/** Only letters, digits and `_` (spec CS-51, VC-66). */
function toIdText(name: string): string {
  return name.replace(/[^A-Za-z0-9_]/g, '_') || '_';
}

/**
 * The names of servers in rules and ids. A second server whose name gives the same text has a numeric
 * suffix (spec CA-31), so that no rule for one is taken for the other.
 */
export function nameServers(names: readonly string[]): readonly string[] {
  const used = new Set<string>([EDITOR_SERVER]);
  return names.map((name) => {
    const text = toIdText(name);
    const isFirst = !used.has(text);
    const unique = isFirst ? text : addSuffix(text, used);
    used.add(unique);
    // The name as written stands in rules, unless it would be read as a pattern or as parts.
    return isFirst && /^[\w.-]+$/.test(name) ? name : unique;
  });
}

/** The id of a tool, always with its server's name. Adds it to `used`. */
export function toToolId(server: string, tool: string, used: Set<string>): string {
  const whole = `${toIdText(server)}_${toIdText(tool)}`.slice(0, ID_LENGTH);
  const id = used.has(whole) ? addSuffix(whole, used) : whole;
  used.add(id);
  return id;
}

/**
 * The ids of a server's tools by their names. The order in which it lists them decides nothing, so that an id doesn't
 * come to mean another tool. Adds them to `used`.
 */
export function toToolIds(
  server: string,
  names: readonly string[],
  used: Set<string>,
): ReadonlyMap<string, string> {
  // A name that is an id as it stands has no suffix.
  const rank = (name: string) => (toIdText(name) === name ? 0 : 1);
  const sorted = [...new Set(names)].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return new Map(sorted.map((name) => [name, toToolId(server, name, used)]));
}

function addSuffix(text: string, used: ReadonlySet<string>): string {
  for (let number = 2; ; number += 1) {
    const suffix = `_${number}`;
    const next = text.slice(0, ID_LENGTH - suffix.length) + suffix;
    if (!used.has(next)) return next;
  }
}
