/** The settings files that may hold `gatehouse.permissions`, by the path of their URI. */
export function isRulesPath(path: string): boolean {
  return /(?:\/\.vscode\/settings\.json|\/User\/(?:.+\/)?settings\.json|\.code-workspace)$/.test(
    path,
  );
}
