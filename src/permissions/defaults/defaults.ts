import type { Action, Rule } from '../rules/rule.ts';
import { type CommandRow, SEARCH, SHELL, SYSTEM, TEXT } from './defaultCommands.ts';
import { DEVELOPMENT } from './defaultDevelopment.ts';
import { GIT } from './defaultGit.ts';
import { ARCHIVES, INSPECTION } from './defaultInspection.ts';
import { GIT_DISCARDS } from './gitDiscards.ts';

/** Commands that destroy, publish or raise privileges ask even if a wider rule allows them. */
const DESTRUCTIVE: readonly string[] = [
  ...['rm -r*', 'rm -f*', 'rm --recursive*', 'rmdir', 'shred', 'dd', 'mkfs*', 'truncate', 'wipefs'],
  ...[
    'sudo',
    'doas',
    'su',
    'pkexec',
    'chown -R',
    'chmod -R',
    'chmod 777',
    'kill',
    'pkill',
    'killall',
  ],
  ...['shutdown', 'reboot', 'halt', 'poweroff', 'systemctl', 'crontab', 'mount', 'umount'],
  ...[
    'npm publish',
    'npm unpublish',
    'npm deprecate',
    'pnpm publish',
    'yarn publish',
    'cargo publish',
  ],
  ...[
    'twine upload',
    'gem push',
    'docker push',
    'docker system prune',
    'docker volume rm',
    'docker rm',
  ],
  ...[
    'docker rmi',
    'docker compose down -v',
    'kubectl delete',
    'kubectl apply',
    'kubectl get *secret*',
    'kubectl get *-file=*',
    'helm uninstall',
  ],
  ...[
    'terraform apply',
    'terraform destroy',
    'gh pr merge',
    ...['create', 'delete', 'edit', 'upload', 'delete-asset'].map((each) => `gh release ${each}`),
    'gh repo delete',
    'aws s3 rm',
  ],
  ...['dropdb', 'psql', 'mysql', 'redis-cli FLUSHALL', 'find * -delete*', 'ssh', 'scp', 'rsync'],
];

/** Commands that print a password or a token ask even if a wider rule allows them. */
const CREDENTIALS: readonly string[] = [
  ...['gh auth token', 'gh auth status *-t*', 'gh auth status *--show-token*', 'npm token'],
  ...['kubectl config view *--raw*', 'gcloud auth print-*', 'az account get-access-token'],
  ...['aws configure export-credentials', 'aws ecr get-login-password', 'heroku auth:token'],
  ...['vault token', 'vault print token', 'op read', 'pass show', 'security find-*-password'],
];

/** Files that a wider rule asks about, and that hold no secret. */
const HARMLESS: readonly string[] = [
  ...['example', 'sample', 'template', 'dist'].flatMap((each) => [
    ...[`**/.env.${each}`, `**/.env.*.${each}`],
    ...[`**/${each}.env`, `**/*.${each}.env`],
  ]),
  '**/*.pub',
  ...['/etc/os-release', '/usr/lib/os-release'],
];

/** Configurations that most often hold no secret. They ask while they do. */
const CONFIGURATIONS: readonly string[] = [
  ...['**/.npmrc', '**/.yarnrc.yml', '**/pip.conf', '**/pip.ini', '**/.envrc', '**/bunfig.toml'],
  ...['**/.git/**/config', '**/.git/**/config.worktree', '**/.gitconfig', '**/.config/git/config'],
  '**/.git/**/logs/HEAD',
  ...['**/.terraformrc', '**/terraform.rc', '**/*.tfvars', '**/*.tfvars.json'],
  ...['**/*.tfstate', '**/*.tfstate.backup'],
  ...['**/.cargo/config', '**/.cargo/config.toml', '**/gradle.properties'],
  ...['json', 'toml', 'yaml', 'yml'].map((each) => `**/secrets.${each}`),
];

/** A part of the shipped rules, with a sentence for the user. */
export interface RuleGroup {
  readonly title: string;
  readonly why: string;
  readonly rules: readonly Rule[];
  /** The document keeps the order, instead of moving a rule before the wider ones that it overrides. */
  readonly inOrder?: true;
}

/** The shipped rules by topic. A group that can override another comes before it. */
const GROUPS: readonly RuleGroup[] = [
  {
    title: 'Files without secrets',
    why: 'Templates, public keys and the name of the system, although a wider rule asks about them.',
    rules: files(['fs.read'], HARMLESS, 'allow'),
  },
  {
    title: 'Files that usually contain secrets',
    why: 'Reading and writing them asks, also inside the workspace.',
    rules: files(['fs.read', 'fs.write'], secretFiles(), 'ask'),
  },
  {
    title: 'Configurations that may contain a secret',
    why: 'Reading one asks only while it holds a password or a token.',
    rules: files(['fs.read'], CONFIGURATIONS, 'ask').map((rule) => ({
      ...rule,
      credentials: true as const,
    })),
  },
  {
    title: 'Files of the workspace',
    why: 'Reading and searching them is allowed. No rule is needed for writing to ask.',
    rules: files(['read', 'glob', 'grep', 'fs.read'], ['{workspace}/**'], 'allow'),
  },
  {
    title: 'Files outside the workspace',
    why: 'Reading them asks, both with tools and with commands. Writing asks anyway.',
    rules: files(['fs.read'], ['**'], 'ask'),
  },
  {
    title: 'Subagents',
    why: 'Starting one does nothing by itself: what it does passes the same rules, and asks you as well.',
    rules: [{ permission: 'task', pattern: '*', action: 'allow', source: 'manifest' }],
  },
  // `systemctl status` is narrower than `systemctl`.
  toCommandGroup('Development tools', DEVELOPMENT),
  {
    title: 'Commands that destroy, publish or raise privileges',
    why: 'They ask even if a wider rule allows them.',
    rules: DESTRUCTIVE.map((pattern) => toRule('bash', pattern, 'ask')),
  },
  {
    title: 'Git commands that discard work or publish it',
    why: 'They ask even if a wider rule allows them, in every spelling of their options.',
    rules: GIT_DISCARDS.flatMap(({ act, commands }) =>
      commands.map((command) => ({ ...toRule('bash', `git ${command}`, 'ask'), act })),
    ),
  },
  {
    title: 'Commands that print credentials',
    why: 'They ask even if a wider rule allows them.',
    rules: CREDENTIALS.map((pattern) => toRule('bash', pattern, 'ask')),
  },
  toCommandGroup('Shell builtins', SHELL),
  toCommandGroup('Commands that print and compare text', TEXT),
  toCommandGroup('Commands that search and list files', SEARCH),
  toCommandGroup('Commands about the system', SYSTEM),
  toCommandGroup('Git commands that only read', GIT),
  toCommandGroup('Archives and binaries', ARCHIVES),
  toCommandGroup('Packages and logs of this machine', INSPECTION),
];

function toCommandGroup(title: string, rows: readonly CommandRow[]): RuleGroup {
  const why = 'Commands that only read are allowed. Options that are not listed ask.';
  const rules = rows.map(([pattern, flags]) => ({ ...toRule('bash', pattern, 'allow'), flags }));
  return { title, why, rules };
}

/**
 * The shipped rules. An equal or narrower rule of the user overrides any of them. Commands without
 * a rule ask. Protected files aren't listed here, because no rule lifts their protection
 * (protected.ts).
 */
export const DEFAULT_RULES: readonly Rule[] = GROUPS.flatMap(({ rules }) => rules).map(
  (rule, index) => ({ ...rule, origin: { layer: 'default', index } }),
);

/** The groups of `DEFAULT_RULES`, for the document that shows them. */
export const RULE_GROUPS: readonly RuleGroup[] = withOrigins(GROUPS);

function withOrigins(groups: readonly RuleGroup[]): readonly RuleGroup[] {
  let first = 0;
  return groups.map(({ rules, ...words }) => {
    const own = DEFAULT_RULES.slice(first, first + rules.length);
    first += rules.length;
    return { ...words, rules: own };
  });
}

/** Files that usually contain secrets. */
function secretFiles(): readonly string[] {
  return [
    ...[
      '**/.env',
      '**/.env.*',
      '**/*.env',
      '**/.netrc',
      '**/.pgpass',
      '**/.git-credentials',
      '**/.pypirc',
    ],
    ...[
      '**/*.pem',
      '**/*.key',
      '**/*.p8',
      '**/*.ppk',
      '**/*.jks',
      '**/*.p12',
      '**/*.pfx',
      '**/*.kdbx',
      '**/*.keystore',
      '**/.htpasswd',
    ],
    ...['**/id_rsa', '**/id_dsa', '**/id_ecdsa', '**/id_ed25519', '**/credentials.json'],
    ...['**/id_ecdsa_sk', '**/id_ed25519_sk', '**/.terraform.d/credentials.tfrc.json'],
    ...['**/_netrc', '**/.my.cnf', '**/.s3cfg', '**/.vault-token', '**/.git/credentials'],
    ...['**/.dev.vars', '**/.dev.vars.*', '**/*.keytab', '**/kubeconfig', '**/*.kubeconfig'],
    ...['**/.databrickscfg', '**/.mylogin.cnf', '**/.boto', '**/rclone.conf'],
    ...[
      '**/.aws/credentials',
      '**/.docker/config.json',
      '**/.kube/config',
      '**/.config/gh/hosts.yml',
    ],
    ...['**/.cargo/credentials', '**/.cargo/credentials.toml', '**/.gem/credentials'],
    ...['**/.config/git/credentials', '**/.dockercfg'],
    ...['~/.ssh/**', '~/.aws/**', '~/.gnupg/**', '~/.kube/**', '~/.docker/**', '~/.azure/**'],
    ...['~/.config/gcloud/**', '~/.config/gh/**', '~/.npmrc', '~/.bash_history', '~/.zsh_history'],
  ];
}

/**
 * Read-only commands, with the flags that keep them read-only; any other flag asks. `-n:` takes a
 * value, `--x=` may have one, `-#` is a number.
 */
export function readOnlyCommands(): readonly CommandRow[] {
  return [
    ...SHELL,
    ...TEXT,
    ...SEARCH,
    ...SYSTEM,
    ...GIT,
    ...DEVELOPMENT,
    ...ARCHIVES,
    ...INSPECTION,
  ];
}

function files(
  permissions: readonly string[],
  patterns: readonly string[],
  action: Action,
): readonly Rule[] {
  return permissions.flatMap((permission) =>
    patterns.map((pattern) => toRule(permission, pattern, action)),
  );
}

/** The lowest scope, so that an equal rule of the user wins. */
function toRule(permission: string, pattern: string, action: Action): Rule {
  return { permission, pattern, action, source: 'manifest' };
}
