import type { Tool } from '../contract.ts';
import { skill } from './agents/skill.ts';
import { task } from './agents/task.ts';
import { bash } from './bash.ts';
import { edit } from './edit.ts';
import { glob } from './glob.ts';
import { grep } from './grep.ts';
import { question } from './question.ts';
import { read } from './read.ts';
import { todo } from './todo.ts';
import { toolSearch } from './toolSearch.ts';
import { webFetch } from './webFetch.ts';
import { createWebSearch } from './webSearch.ts';
import { write } from './write.ts';

/** The locked tools (spec C-9), in the order the model sees them. */
export function lockedTools(searchHosts: readonly string[]): readonly Tool[] {
  return [
    read,
    write,
    edit,
    glob,
    grep,
    bash,
    todo,
    question,
    webFetch,
    createWebSearch(searchHosts),
    task,
    skill,
    toolSearch,
  ];
}
