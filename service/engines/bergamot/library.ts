import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import type { TranslationModel } from './model.ts';

export const BERGAMOT_PACKAGE = '@browsermt/bergamot-translator';

/** The part of WebAssembly's interface that is used here; Node's types do not have it. */
declare const WebAssembly: {
  instantiate(binary: Uint8Array, imports: object): Promise<{ readonly instance: object }>;
};

/** The part of the WebAssembly module's classes (`wasm/bindings` of its source) that is used here. */
interface Deletable {
  delete(): void;
}
interface Memory extends Deletable {
  getByteArrayView(): Uint8Array;
}
interface List<T> extends Deletable {
  push_back(item: T): void;
}
interface Responses extends Deletable {
  get(index: number): { getTranslatedText(): string };
}
type Model = Deletable;
type Input = readonly [model: Model, texts: List<string>, options: List<object>];
interface Service {
  translate(...input: Input): Responses;
  translateViaPivoting(first: Model, ...input: Input): Responses;
}
interface Module {
  readonly asm: Readonly<Record<string, (...args: unknown[]) => unknown>>;
  readonly AlignedMemory: new (bytes: number, alignment: number) => Memory;
  readonly AlignedMemoryList: new () => List<Memory>;
  readonly VectorString: new () => List<string>;
  readonly VectorResponseOptions: new () => List<object>;
  readonly BlockingService: new (options: { cacheSize: number }) => Service;
  readonly TranslationModel: new (
    config: string,
    model: Memory,
    shortlist: Memory,
    vocabularies: List<Memory>,
    quality: null,
  ) => Model;
}

/** The functions that browsers may provide faster, with the names of the module's own. */
const MATRIX_FUNCTIONS = {
  int8_prepare_a: 'int8PrepareAFallback',
  int8_prepare_b: 'int8PrepareBFallback',
  int8_prepare_b_from_transposed: 'int8PrepareBFromTransposedFallback',
  int8_prepare_b_from_quantized_transposed: 'int8PrepareBFromQuantizedTransposedFallback',
  int8_prepare_bias: 'int8PrepareBiasFallback',
  int8_multiply_and_add_bias: 'int8MultiplyAndAddBiasFallback',
  int8_select_columns_of_b: 'int8SelectColumnsOfBFallback',
} as const;

/** Alignments that the library needs, in bytes. */
const MODEL_ALIGNMENT = 256;
const OTHER_ALIGNMENT = 64;

/** Loaded models that are kept; each takes about 100 MB. */
const MOST_MODELS = 6;

/** The library's options: those of its own worker, `translator-worker.js`. */
const optionsOf = ({ precision }: TranslationModel): string =>
  [
    'beam-size: 1',
    'normalize: 1.0',
    'word-penalty: 0',
    'cpu-threads: 0',
    `gemm-precision: ${precision}`,
    'skip-cost: true',
    'alignment: soft',
    'quiet: true',
    'quiet-translation: true',
    'max-length-break: 128',
    'mini-batch-words: 1024',
    'workspace: 128',
    'max-length-factor: 2.0',
    '',
  ].join('\n');

/**
 * Loads the package's WebAssembly module. Its script is no module of Node's and detects a browser's
 * worker, so it runs with what such a worker has.
 */
const loadModule = async (): Promise<Module> => {
  const folder = join(dirname(createRequire(import.meta.url).resolve(BERGAMOT_PACKAGE)), 'worker');
  const file = join(folder, 'bergamot-translator-worker.js');
  const [script, binary] = await Promise.all([
    readFile(file, 'utf8'),
    readFile(join(folder, 'bergamot-translator-worker.wasm')),
  ]);
  const loaded = Promise.withResolvers<Module>();
  const module = {
    print: () => {},
    printErr: (line: string) => console.error(line),
    onAbort: (reason: unknown) => loaded.reject(new Error(`it stopped: ${String(reason)}`)),
    onRuntimeInitialized: () => loaded.resolve(module as unknown as Module),
    instantiateWasm: (imports: object, accept: (instance: object) => void) => {
      const matrix = Object.entries(MATRIX_FUNCTIONS).map(
        ([name, own]) =>
          [
            name,
            (...args: unknown[]) => (module as unknown as Module).asm[own]?.(...args),
          ] as const,
      );
      WebAssembly.instantiate(binary, { ...imports, wasm_gemm: Object.fromEntries(matrix) }).then(
        ({ instance }) => accept(instance),
        loaded.reject,
      );
      return {};
    },
  };
  const start = new Script(
    `(function (Module, self, importScripts, process, require) { ${script}\n})`,
    { filename: file },
  ).runInThisContext() as (...args: unknown[]) => void;
  start(module, { location: { href: 'file:///worker.js' } }, () => {});
  return loaded.promise;
};

export type BergamotLibrary = Awaited<ReturnType<typeof loadBergamot>>;

/** Loads the library. Rejects when its package is absent. */
export const loadBergamot = async () => {
  const module = await loadModule();
  const service = new module.BlockingService({ cacheSize: 0 });
  /** Loaded models by the path of their file, the least recently used first. */
  const models = new Map<string, Model>();

  const read = async (path: string | undefined, alignment = OTHER_ALIGNMENT): Promise<Memory> => {
    const bytes = path === undefined ? new Uint8Array() : await readFile(path);
    const memory = new module.AlignedMemory(bytes.length, alignment);
    memory.getByteArrayView().set(bytes);
    return memory;
  };

  const load = async (files: TranslationModel): Promise<Model> => {
    const model = await read(files.model, MODEL_ALIGNMENT);
    const shortlist = await read(files.shortlist);
    const vocabularies = new module.AlignedMemoryList();
    for (const path of files.vocabularies) vocabularies.push_back(await read(path));
    return new module.TranslationModel(optionsOf(files), model, shortlist, vocabularies, null);
  };

  const get = async (files: TranslationModel): Promise<Model> => {
    const model = models.get(files.model) ?? (await load(files));
    models.delete(files.model);
    models.set(files.model, model);
    return model;
  };

  const dropOldest = (): void => {
    for (const [path, model] of models) {
      if (models.size <= MOST_MODELS) return;
      models.delete(path);
      model.delete();
    }
  };

  return {
    /**
     * Translates `texts` with one model, or with two of which the second translates what the first
     * did.
     *
     * @param html true when the texts are HTML, whose elements are preserved
     */
    translate: async (
      route: readonly TranslationModel[],
      texts: readonly string[],
      html: boolean,
    ): Promise<readonly string[]> => {
      const loaded: Model[] = [];
      for (const files of route) loaded.push(await get(files));
      dropOldest();
      const [first, second] = loaded;
      if (!first) return texts;
      const input = new module.VectorString();
      const options = new module.VectorResponseOptions();
      for (const text of texts) {
        input.push_back(text);
        options.push_back({ alignment: false, html, qualityScores: false });
      }
      const replies = second
        ? service.translateViaPivoting(first, second, input, options)
        : service.translate(first, input, options);
      const translated = texts.map((_, index) => replies.get(index).getTranslatedText());
      for (const one of [input, options, replies]) one.delete();
      return translated;
    },
  };
};
