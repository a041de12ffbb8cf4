/** The only module that loads the library (GPL-3.0); only a separate process may import it. */

export interface EspeakVoice {
  /** Path of the voice, such as `gmw/en-US`. */
  readonly identifier: string;
  readonly name: string;
  readonly languages: readonly { readonly name: string; readonly priority: number }[];
}

export interface Espeak {
  list_voices(): EspeakVoice[];
  /** Selects a voice; silently uses another one for an unknown name. */
  set_voice(name: string, language: string, gender: number, age: number, variant: number): number;
  get_samplerate(): number;
  /** Synthesises `text`, which is read as SSML. The callback returns true to stop. */
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
