import createMarkdownIt from 'markdown-it';
import { Component, Fragment, h } from 'preact';
import {
  useContext,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
} from 'preact/hooks';
import { jsx, jsxs } from 'preact/jsx-runtime';
import * as context from './state/context.ts';
import * as subagents from './state/subagents.ts';

/**
 * The page's modules that `later.ts` must not have copies of: they hold state, or contexts that a copy would not
 * find, or are large. `esbuild.mjs` replaces its imports of them by these names.
 */
Object.assign(globalThis, {
  gatehousePage: {
    preact: { Component, Fragment, h },
    'preact/hooks': {
      ...{ useContext, useEffect, useId, useLayoutEffect, useMemo, useReducer, useRef, useState },
    },
    'preact/jsx-runtime': { Fragment, jsx, jsxs },
    'markdown-it': createMarkdownIt,
    'state/context': context,
    'state/subagents': subagents,
  },
});
