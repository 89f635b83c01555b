import { parse } from 'yaml';
import { readRegularText } from '../base/disk/readRegular.ts';
import { getMessage } from '../base/faults.ts';
import { failure, type Outcome, success } from '../base/outcome.ts';
import { toOneLine } from '../base/text/frame.ts';
import { splitFrontMatter } from '../base/text/frontMatter.ts';
import { removeInvisible } from '../base/text/invisible.ts';
import { KB } from '../base/units.ts';

/** A parsed skill (spec CS-40). */
export interface SkillText {
  readonly name: string;
  /** One line. */
  readonly description: string;
  readonly body: string;
  /** How many invisible characters were removed. */
  readonly hidden: number;
}

/** A skill joins the conversation whole, so a longer one would not fit anyway. */
const SKILL_BYTES = 128 * KB;
/** A longer one takes YAML seconds to read, in which the host does nothing else. */
const FRONT_BYTES = 8 * KB;
const DESCRIPTION = 1024;
const NAME = /^[a-z][a-z0-9-]{0,63}$/;

/** Whether a file or folder may hold a skill of its name. */
export function isSkillName(name: string): boolean {
  return NAME.test(name);
}

/** Reads a skill. The error says what is wrong with the file, without its name. */
export function readSkill(file: string): Outcome<SkillText> {
  const read = readRegularText(file, SKILL_BYTES);
  if (read.state === 'absent') return failure('It is gone.');
  if (read.state === 'unreadable') return failure(`It can't be read: ${read.why}.`);
  const { text, hidden } = removeInvisible(read.text);
  const parts = splitFrontMatter(text);
  if (parts === undefined) return failure('It must begin with front matter between --- lines.');
  if (parts.front.length > FRONT_BYTES) {
    return failure(`Its front matter is longer than ${FRONT_BYTES / KB} KB.`);
  }
  const front = parseFront(parts.front);
  if (!front.ok) return front;
  const { name, description } = front.data;
  if (typeof name !== 'string' || !isSkillName(name)) {
    return failure('Its name must be lower-case letters, digits and hyphens, such as run-tests.');
  }
  if (typeof description !== 'string' || description.trim() === '') {
    return failure('It needs a description that says when to use it.');
  }
  const line = toOneLine(description).trim().slice(0, DESCRIPTION);
  return success({ name, description: line, body: parts.body.trim(), hidden });
}

function parseFront(text: string): Outcome<Readonly<Record<string, unknown>>> {
  try {
    const value: unknown = parse(text, { maxAliasCount: 20, strict: true, logLevel: 'error' });
    if (typeof value === 'object' && value !== null) return success({ ...value });
    return failure('Its front matter must have a name and a description.');
  } catch (fault) {
    return failure(`Its front matter is not valid YAML: ${toOneLine(getMessage(fault))}`);
  }
}
