import { readFileSync, writeFileSync } from 'node:fs';
import { CLIENT_COMMANDS, COPY_COMMANDS } from '../../src/permissions/defaults/copyRules.ts';
import { readOnlyCommands } from '../../src/permissions/defaults/defaults.ts';
import { DROPPED } from './dropped.ts';
import { FAMILIES, type Family, familyOf } from './families.ts';

const FILE = new URL('../../docs/default-commands.md', import.meta.url);

/** The page that answers for each default row what it can do. */
export function writeDocument(): string {
  const rows = readOnlyCommands();
  const sections = FAMILIES.map((family) => {
    const own = rows.filter((row) => familyOf(row) === family);
    return `${toSection(family)}\n${own.map(toRow).join('\n')}\n`;
  });
  const dropped = DROPPED.map(
    ({ lines, why }) => `| ${lines.map((line) => code(line)).join(', ')} | ${toCell(why)} |`,
  );
  const [copied, clients] = [COPY_COMMANDS, CLIENT_COMMANDS].map((lines) =>
    lines.map((line) => code(line)).join(', '),
  );
  return `${HEAD}\n${sections.join('\n')}\n${COPY_HEAD}\n\n${copied}.\n\n${CLIENT_HEAD} ${clients}.\n\n${DROPPED_HEAD}\n${dropped.join('\n')}\n`;
}

export function readDocument(): string {
  return readFileSync(FILE, 'utf8');
}

const CLIENT_HEAD = `Clients of services ask, since the copy reaches no service, not even one of this machine; so do lines that name it (\`localhost\`, \`127.0.0.1\`), and those that end in the background:`;

const HEAD = `# Commands that run without a question

<!-- Written by \`node test/defaults/document.ts --write\` from the rows and test/defaults/families.ts. -->

A default rule allows a command only if the program, with every option the rule lets through, runs no code of the
project, follows no link out of what the line names, writes nothing, contacts no host and prints no secret. Any other
option asks. \`npm run test:defaults\` runs each row with each option, and pairs of them, under strace in a hostile
repository, and compares with the same command in an empty one.
`;

const COPY_HEAD = `## Commands that run in a copy only

These run code of the project, so no default rule allows them in the workspace. With \`gatehouse.sandbox.autoRun\`, default
rules such as \`copy bash npm test *\` let them run unasked in a copy of the workspace, and \`gatehouse explain\` in a session
names the rule. So does \`copy bash *\` with any other command that no rule decides. To be asked first, add a rule with the
permission \`copy\`, such as \`bash make *\`, and \`ask\`.`;

const DROPPED_HEAD = `## Commands that ask

These read only, as it seems, and have no default rule for the workspace. A rule of your own can allow them.

| Command | Why |
|---|---|`;

function toSection({ name, argued, ...answers }: Family): string {
  return `## ${name}

- Runs code of the project? ${answers.code}
- Follows links out? ${answers.links}
- Writes? ${answers.writes}
- Contacts a host? ${answers.hosts}
- Prints secrets? ${answers.secrets}
- Proof: ${argued === undefined ? '`npm run test:defaults`.' : `not run in the test. ${argued}`}

| Command | Options |
|---|---|`;
}

function toRow([pattern, flags]: readonly [string, string]): string {
  const words = flags.split(/\s+/).filter((word) => /^-/.test(word));
  const notes = [
    ...(/(?:^| )!/.test(flags) ? ['no operands'] : []),
    ...(/(?:^| )@(?: |$)/.test(flags) ? ['addresses of this machine only'] : []),
    ...(/(?:^| )\+(?: |$)/.test(flags) ? ['with a word'] : []),
    ...(/(?:^| )\+-(\w)/.test(flags) ? [`with \`-${/\+-(\w)/.exec(flags)?.[1]}\``] : []),
  ];
  const options = words.length === 0 ? 'none' : code(words.join(' '));
  return `| ${code(pattern)} | ${[options, ...notes].join('; ')} |`;
}

function code(text: string): string {
  return `\`${toCell(text)}\``;
}

function toCell(text: string): string {
  return text.replaceAll('|', '\\|');
}

if (process.argv.includes('--write')) writeFileSync(FILE, writeDocument());
