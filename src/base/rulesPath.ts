/** Whether the URI path is that of a settings file that may contain `gatehouse.permissions`. */
export function isRulesPath(path: string): boolean {
  return /(?:\/\.vscode\/settings\.json|\/User\/(?:.+\/)?settings\.json|\.code-workspace)$/.test(
    path,
  );
}
