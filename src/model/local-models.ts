/** Local models of the built-in service: choosing, installing and removing them. */

export type ModelAbility = 'recognition' | 'speech' | 'translation' | 'chat' | 'diarisation';

/** Choices of size: what the machine can carry, the smallest, or the best whatever it needs. */
export const MODEL_SIZES = ['fitting', 'small', 'best'] as const;
export type ModelSize = (typeof MODEL_SIZES)[number];

export interface OfferedModel {
  /** Name in the catalogue. */
  readonly name: string;
  readonly title: string;
  readonly ability: ModelAbility;
  /** BCP 47 codes; of a model for one direction of translation the source and the target. */
  readonly languages: readonly string[];
  readonly licence: string;
  readonly downloadBytes: number;
  /** Memory of a process that has it loaded, about. */
  readonly memoryBytes: number;
}

export interface InstalledModel {
  readonly name: string;
  /** Undefined for one that no engine can use. */
  readonly ability: ModelAbility | undefined;
  /** BCP 47 codes; none where they are not known. */
  readonly languages: readonly string[];
  readonly licence: string;
  readonly bytes: number;
  /** People whom a recogniser follows at once, as it was measured; undefined where it was not. */
  readonly speakers?: number | undefined;
  /** The reason why it cannot be used, in English. */
  readonly fault?: string | undefined;
}

/** A need that no model of the catalogue meets. */
export interface ModelGap {
  readonly need: 'recognition' | 'speech' | 'translation-from' | 'translation-into';
  /** BCP 47 code. */
  readonly language: string;
}

/** The means of a machine for models. */
export interface Machine {
  readonly cores: number;
  /** Memory of the machine, or of the container that the process is in. */
  readonly memoryBytes: number;
  /** Room on the disk of the folder of models. */
  readonly freeBytes: number;
}

/** The models that would be installed for languages, apart from those that are there already. */
export interface ModelPlan {
  readonly machine: Machine;
  readonly models: readonly OfferedModel[];
  /** Size of all that is fetched: the models, and the package that the first language model runs in. */
  readonly downloadBytes: number;
  /** Room that the disk lacks for it, at least; 0 where it has enough. */
  readonly lackingBytes: number;
  readonly gaps: readonly ModelGap[];
  /** Notes for the operator, in English: of a registry that could not be read. */
  readonly notes: readonly string[];
}

/** A running installation, or the last one. */
export interface ModelInstallation {
  readonly state: 'running' | 'done' | 'stopped' | 'failed';
  /** Names of its models, in their order. */
  readonly names: readonly string[];
  readonly size: ModelSize;
  /** The model that is being installed; undefined between two. */
  readonly current?: string | undefined;
  readonly doneBytes: number;
  /** Size of all downloads of the current model; undefined where it is not known. */
  readonly totalBytes?: number | undefined;
  /** Names of the models that are installed. */
  readonly ended: readonly string[];
  /** Reasons, in English, by the names of models that were not installed. */
  readonly failures: readonly { readonly name: string; readonly reason: string }[];
  /** Notes for the operator, in English: of a model that was not tried, or of an older version that was taken. */
  readonly notes: readonly string[];
  /** The reason, in English, why all of it ended. */
  readonly reason?: string | undefined;
}

export interface ModelsView {
  readonly freeBytes: number;
  readonly installed: readonly InstalledModel[];
  readonly installation?: ModelInstallation | undefined;
}

export interface LocalModels {
  view(): Promise<ModelsView>;
  /** Chooses models for languages (BCP 47). */
  plan(languages: readonly string[], size: ModelSize, signal: AbortSignal): Promise<ModelPlan>;
  /**
   * Begins to install models by their names, in the size that they were chosen in; it goes on by itself. Models that
   * were begun before go on where they were stopped. Throws `AppError` (`bad-input`) for an unknown name, and while
   * another runs.
   */
  install(names: readonly string[], size: ModelSize): Promise<void>;
  /** Stops the installation; what was fetched stays for the next one. */
  stop(): void;
  /** Rejects with an `AppError` where there is none of that name, and while something is installed. */
  remove(name: string): Promise<void>;
}
