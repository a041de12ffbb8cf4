/** The one place that loads the library (GPL-3.0): only a process of its own may import this. */

export interface EspeakVoice {
  /** A path like `gmw/en-US`. */
  readonly identifier: string;
  readonly name: string;
  readonly languages: readonly { readonly name: string; readonly priority: number }[];
}

export interface Espeak {
  list_voices(): EspeakVoice[];
  /** Takes an unknown name without a word and goes on with some other voice. */
  set_voice(name: string, language: string, gender: number, age: number, variant: number): number;
  get_samplerate(): number;
  /** `text` is read as SSML. The callback returns true to stop. */
  synthesize(text: string, callback: (samples: Int16Array) => boolean): void;
}

export const PACKAGE = '@echogarden/espeak-ng-emscripten';

export const loadEspeak = async (): Promise<Espeak> => {
  const { default: create } = (await import(PACKAGE)) as {
    default: () => Promise<{ eSpeakNGWorker: new () => Espeak }>;
  };
  const library = await create();
  return new library.eSpeakNGWorker();
};
