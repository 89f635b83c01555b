import type { Action, Rule } from '../rules/rule.ts';
import { type CommandRow, SEARCH, SHELL, SYSTEM, TEXT } from './defaultCommands.ts';
import { DEVELOPMENT } from './defaultDevelopment.ts';
import { GIT } from './defaultGit.ts';
import { ARCHIVES, INSPECTION } from './defaultInspection.ts';

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
    'git push',
    'git reset --hard',
    'git clean',
    'git checkout -- *',
    'git checkout .',
    'git restore',
  ],
  ...[
    'git branch -D',
    'git branch -d',
    'git tag -d',
    'git stash drop',
    'git stash clear',
    'git rebase',
  ],
  ...[
    'git filter-branch',
    'git reflog expire',
    'git reflog delete',
    'git reflog drop',
    'git reflog write',
    'git gc',
    'git update-ref',
    'git remote set-url',
  ],
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

/** Configurations that most often hold no secret. They ask while they do. */
const CONFIGURATIONS: readonly string[] = [
  ...['**/.npmrc', '**/.yarnrc.yml', '**/pip.conf'],
  ...['**/.git/**/config', '**/.git/**/config.worktree', '**/.gitconfig'],
];

/**
 * The shipped rules. An equal or narrower rule of the user overrides any of them. Commands without
 * a rule ask. Protected files aren't listed here, because no rule lifts their protection
 * (protected.ts).
 */
export const DEFAULT_RULES: readonly Rule[] = [
  ...files(['read', 'glob', 'grep', 'fs.read'], ['{workspace}/**'], 'allow'),
  // Reading outside the workspace asks, both with tools and with commands. Writing asks anyway.
  ...files(['fs.read'], ['**'], 'ask'),
  ...files(['fs.read', 'fs.write'], secretFiles(), 'ask'),
  ...files(['fs.read'], CONFIGURATIONS, 'ask').map((rule) => ({
    ...rule,
    credentials: true as const,
  })),
  ...files(
    ['fs.read'],
    [
      '**/.env.example',
      '**/.env.sample',
      '**/.env.template',
      '**/*.pub',
      '/etc/os-release',
      '/usr/lib/os-release',
    ],
    'allow',
  ),
  ...readOnlyCommands().map(([pattern, flags]) => ({ ...toRule('bash', pattern, 'allow'), flags })),
  ...DESTRUCTIVE.map((pattern) => toRule('bash', pattern, 'ask')),
].map((rule, index) => ({ ...rule, origin: { layer: 'default', index } }));

/** Files that usually contain secrets. */
function secretFiles(): readonly string[] {
  return [
    ...['**/.env', '**/.env.*', '**/.netrc', '**/.pgpass', '**/.git-credentials', '**/.pypirc'],
    ...[
      '**/*.pem',
      '**/*.key',
      '**/*.p12',
      '**/*.pfx',
      '**/*.kdbx',
      '**/*.keystore',
      '**/.htpasswd',
    ],
    ...['**/id_rsa', '**/id_dsa', '**/id_ecdsa', '**/id_ed25519', '**/credentials.json'],
    ...['**/_netrc', '**/.my.cnf', '**/.s3cfg', '**/.vault-token', '**/.git/credentials'],
    ...[
      '**/.aws/credentials',
      '**/.docker/config.json',
      '**/.kube/config',
      '**/.config/gh/hosts.yml',
    ],
    ...['**/.cargo/credentials', '**/.gem/credentials'],
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
