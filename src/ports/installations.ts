import type { Space } from '../model/place.ts';

/** The spaces in which an app was installed, each with what its platform gave for it, encrypted. */
export interface InstallationStore {
  /** Resolves with the secret of a space as the adapter wrote it; undefined for an unknown space. */
  of(space: Space): Promise<string | undefined>;
  list(platform: string): Promise<readonly Space[]>;
  put(space: Space, secret: string): Promise<void>;
  remove(space: Space): Promise<void>;
  /**
   * Calls `receive` for each change, in whichever process it was made; the write that makes it resolves once
   * `receive` has. Returns the function that ends this.
   *
   * @param receive gets `undefined` where changes may have been missed: any installation may have changed
   */
  watch(platform: string, receive: (space: Space | undefined) => Promise<void>): () => void;
}
