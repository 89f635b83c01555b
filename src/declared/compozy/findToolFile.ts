import { realpathSync } from 'node:fs';
import path from 'node:path';
import { isInFolder } from '../../base/disk/insideFolder.ts';
import type { FindManifest, FoundFile } from '../manifest/dialectRow.ts';
import { readDocument } from '../manifest/parseDocument.ts';
import { ancestors, type Surroundings } from '../manifest/parseSurroundings.ts';
import { type CompozyProject, findProject, isAutoloaded, isProjectFile } from './parseProject.ts';

/** Finds YAML files that autoload matches or that have a `resource` (spec decision 40). Reads each project once. */
export function createFinder(surroundings: Surroundings): FindManifest {
  const projects = new Map<string, CompozyProject>();
  const files = new Map<string, CompozyProject>();
  const getProject = (folder: string): CompozyProject => {
    const project =
      projects.get(folder) ??
      findProject(folder, ancestors(folder, surroundings), surroundings, files);
    projects.set(folder, project);
    return project;
  };
  return (file, isLink) =>
    /\.ya?ml$/i.test(file)
      ? findToolFile(file, isLink, getProject(path.dirname(file)), surroundings)
      : undefined;
}

function findToolFile(
  file: string,
  isLink: boolean,
  project: CompozyProject,
  surroundings: Surroundings,
): FoundFile | undefined {
  // A project whose tools are all refused may have no tool file at all (spec B-50).
  if (isProjectFile(file)) {
    return project.problems.length > 0 ? { file, autoloaded: true } : undefined;
  }
  const matched = isAutoloaded(project, file);
  if (isLink) {
    const target = matched ? findEscape(file, project.folder) : undefined;
    if (target !== undefined) {
      const message = `PATH_ESCAPE_ATTEMPT: ${file} leads out of the project, to ${target}`;
      return { file, autoloaded: true, refused: { dialect: 'compozy', message } };
    }
    if (!matched) return undefined;
  }
  if (matched) return { file, autoloaded: true };
  const read = surroundings.read(file);
  if (read.state !== 'read' || !read.bytes.includes('resource')) return undefined;
  const { rootKeys } = readDocument(file, read.bytes);
  return rootKeys.includes('resource') ? { file, autoloaded: true } : undefined;
}

/** The target of a link, if it is outside `folder` (spec VB-29). */
export function findEscape(file: string, folder: string): string | undefined {
  try {
    const target = realpathSync(file);
    return isInFolder(target, realpathSync(folder)) ? undefined : target;
  } catch {
    // A broken link refers to no manifest.
    return undefined;
  }
}
