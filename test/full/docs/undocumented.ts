export interface Unexplained {
  readonly name: string;
}
