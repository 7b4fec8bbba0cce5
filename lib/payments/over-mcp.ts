/** Headers of a response as the rails write them. */
export type ApiHeaders = Readonly<Record<string, string>>;
