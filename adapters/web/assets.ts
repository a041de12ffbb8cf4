import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { dirname, extname, join, sep } from 'node:path';
import { Hono } from 'hono';
import { etag } from 'hono/etag';
import { type Child, createChild } from '../../src/process/child.ts';
import { AppError } from '../../src/errors.ts';
import type { Log } from '../../src/telemetry/log.ts';

const PAGE_FOLDER = join(import.meta.dirname, 'page');
const CORE_FOLDER = join(import.meta.dirname, '../../src');

/** Modules of the core that the page runs too, as they are named under `/src/`; they import nothing. */
const CORE_MODULES: readonly string[] = [
  'audio/file-names.ts',
  'command/command-line.ts',
  'model/glossary-file.ts',
  'model/local-models.ts',
  'text/instruction.ts',
  'text/timestamps.ts',
];

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.ts': 'text/javascript; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Packages that the page's modules import by name, with the file each begins at. */
const LIBRARIES: Readonly<Record<string, string>> = {
  lit: 'index.js',
  'lit-html': 'lit-html.js',
  'lit-element': 'index.js',
  '@lit/reactive-element': 'reactive-element.js',
};

// Relative, as all of the page's addresses: a proxy may serve it under a path of its own.
const importMap = JSON.stringify({
  imports: {
    // The tree has more folders than the page's addresses, so these imports lead to the host's root.
    '/src/': './src/',
    ...Object.fromEntries(
      Object.entries(LIBRARIES).flatMap(([name, main]) => [
        [name, `./lib/${name}/${main}`],
        [`${name}/`, `./lib/${name}/`],
      ]),
    ),
  },
});

/** Tells browsers where a bare name is served from; the hash lets the policy allow it inline. */
export const IMPORT_MAP = {
  json: importMap,
  sha256: createHash('sha256').update(importMap).digest('base64'),
} as const;

/** The page's own files, as they are named in addresses under `/page/`. */
const listPage = (): string[] =>
  readdirSync(PAGE_FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((name) => extname(name) in MEDIA_TYPES)
    .map((name) => name.split(sep).join('/'))
    .toSorted();

const folderOf = (library: string): string => {
  const lit = findPackageJSON('lit', import.meta.url);
  const manifest = library === 'lit' ? lit : findPackageJSON(library, lit);
  if (!manifest) throw new AppError('config', `the package ${library} is missing: run npm ci`);
  return dirname(manifest);
};

/** Longest time in which one module is stripped, the start of the process included. */
const STRIP_TIMEOUT_MS = 30_000;
/** The process is needed once after the start, and for files that have changed. */
const STRIP_IDLE_MS = 1_000;

export type Assets = ReturnType<typeof createAssets>;

/** Strips the types of a module. */
export type TypeStripper = Pick<Child<string, string>, 'call' | typeof Symbol.asyncDispose>;

// The compiler takes 20 MB and a tenth of a second to load, so it is not loaded here.
const createStripper = (log: Log): TypeStripper =>
  createChild({
    name: 'the types of the page',
    file: new URL('strip-process.ts', import.meta.url),
    log,
    callTimeoutMs: STRIP_TIMEOUT_MS,
    callsPerChild: Infinity,
    idleMs: STRIP_IDLE_MS,
  });

export const createAssets = (log: Log, stripper: TypeStripper = createStripper(log)) => {
  const files = new Map<string, string>([
    ...listPage().map((name) => [`/page/${name}`, join(PAGE_FOLDER, name)] as const),
    ...CORE_MODULES.map((name) => [`/src/${name}`, join(CORE_FOLDER, name)] as const),
  ]);
  const addresses = Array.from(files.keys(), (path) => path.slice(1));
  const cache = new Map<string, { mtimeMs: number; body: Promise<string> }>();
  const stopped = new AbortController();

  const read = async (path: string): Promise<string> => {
    const source = await readFile(path, 'utf8');
    return path.endsWith('.ts') ? stripper.call(source, stopped.signal) : source;
  };
  const load = async (path: string): Promise<string> => {
    const { mtimeMs } = await stat(path);
    const known = cache.get(path);
    if (known?.mtimeMs === mtimeMs) return known.body;
    const body = read(path);
    cache.set(path, { mtimeMs, body });
    body.catch(() => cache.delete(path));
    return body;
  };

  const respond = async (path: string): Promise<Response> => {
    const body = await load(path);
    const headers = {
      'content-type': MEDIA_TYPES[extname(path)] ?? 'application/octet-stream',
      'cache-control': 'no-cache',
    };
    return new Response(body, { headers });
  };

  const folders = new Map(Object.keys(LIBRARIES).map((name) => [name, folderOf(name)]));

  const routes = new Hono();
  routes.use('/page/*', etag());
  routes.use('/src/*', etag());
  routes.use('/lib/*', etag());
  for (const folder of ['/page/*', '/src/*'])
    routes.get(folder, (c) => {
      const path = files.get(c.req.path);
      return path === undefined ? c.notFound() : respond(path);
    });
  routes.get('/lib/:name{.+}', (c) => {
    const [, library = '', file = ''] =
      /^((?:@[a-z]+\/)?[a-z-]+)\/((?:[a-z-]+\/)*[a-z-]+\.js)$/.exec(c.req.param('name')) ?? [];
    const folder = folders.get(library);
    return folder ? respond(join(folder, file)).catch(() => c.notFound()) : c.notFound();
  });

  return {
    /** Serves `/page/*`, `/src/*` and `/lib/*`. */
    routes,
    /** Addresses of the page's modules and style sheets, to be fetched early. */
    modules: addresses.filter((address) => address.endsWith('.ts')),
    styles: addresses.filter((address) => address.endsWith('.css')),
    /** Strips the types of every module, so that the first visit need not wait. */
    warm: async (): Promise<void> => {
      await Promise.all(Array.from(files.values(), load));
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      stopped.abort();
      await stripper[Symbol.asyncDispose]();
    },
  };
};
