import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import markdown from 'highlight.js/lib/languages/markdown';
import powershell from 'highlight.js/lib/languages/powershell';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import shell from 'highlight.js/lib/languages/shell';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

const LANGUAGES = {
  ...{ bash, c, cpp, csharp, css, diff, go, ini, java, javascript, json, markdown, powershell },
  ...{ python, ruby, rust, shell, sql, typescript, xml, yaml },
};

/** Longer code, in characters, is not highlighted: so many elements would slow the page down. */
const LONGEST = 30_000;

for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);

/**
 * Highlights code as HTML. Undefined for long code and unknown languages. The library escapes the
 * text and only adds `span` elements with classes.
 */
export function highlight(text: string, language: string): string | undefined {
  if (text.length > LONGEST || hljs.getLanguage(language) === undefined) return undefined;
  return hljs.highlight(text, { language, ignoreIllegals: true }).value;
}
