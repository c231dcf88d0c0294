import type { Weighted } from './weights.js';

/** Where a visitor is. */
export interface Place {
  country: string;
  countryId: string;
  region: string;
  city: string;
  continent: string;
  language: string;
}

const unknown = '(not set)';

function place(
  weight: number,
  country: string,
  countryId: string,
  region: string,
  city: string,
  continent = 'Europe',
  language = 'English',
): Weighted<Place> {
  return { weight, value: { country, countryId, region, city, continent, language } };
}

/** Where visitors are: mostly where the company sells, some where nobody knows. */
export const places: readonly Weighted<Place>[] = [
  place(15, 'Germany', 'DE', 'Berlin', 'Berlin', 'Europe', 'German'),
  place(9, 'Germany', 'DE', 'Bavaria', 'Munich', 'Europe', 'German'),
  place(7, 'Germany', 'DE', 'Hamburg', 'Hamburg', 'Europe', 'German'),
  place(6, 'Germany', 'DE', 'Hesse', 'Frankfurt', 'Europe', 'German'),
  place(3, 'Germany', 'DE', 'North Rhine-Westphalia', unknown, 'Europe', 'German'),
  place(8, 'Denmark', 'DK', 'Capital Region of Denmark', 'Copenhagen', 'Europe', 'Danish'),
  place(6, 'Sweden', 'SE', 'Stockholm County', 'Stockholm', 'Europe', 'Swedish'),
  place(5, 'Norway', 'NO', 'Oslo', 'Oslo', 'Europe', 'Norwegian'),
  place(3, 'Norway', 'NO', 'Vestland', 'Bergen', 'Europe', 'Norwegian'),
  place(5, 'Portugal', 'PT', 'Lisbon', 'Lisbon', 'Europe', 'Portuguese'),
  place(4, 'Spain', 'ES', 'Community of Madrid', 'Madrid', 'Europe', 'Spanish'),
  place(7, 'France', 'FR', 'Île-de-France', 'Paris', 'Europe', 'French'),
  place(2, 'France', 'FR', 'Auvergne-Rhône-Alpes', 'Lyon', 'Europe', 'French'),
  place(9, 'United Kingdom', 'GB', 'England', 'London'),
  place(3, 'United Kingdom', 'GB', 'Scotland', 'Edinburgh'),
  place(4, 'Ireland', 'IE', 'County Dublin', 'Dublin'),
  place(3, 'Austria', 'AT', 'Vienna', 'Vienna', 'Europe', 'German'),
  place(3, 'Czechia', 'CZ', 'Prague', 'Prague', 'Europe', 'Czech'),
  place(2, 'Türkiye', 'TR', 'Istanbul', 'Istanbul', 'Asia', 'Turkish'),
  place(8, 'United States', 'US', 'New York', 'New York', 'Americas'),
  place(5, 'United States', 'US', 'Illinois', 'Chicago', 'Americas'),
  place(5, 'United States', 'US', 'California', 'San Francisco', 'Americas'),
  place(3, 'United States', 'US', 'Virginia', 'Ashburn', 'Americas'),
  place(4, 'Canada', 'CA', 'Ontario', 'Toronto', 'Americas'),
  place(2, 'Mexico', 'MX', 'Mexico City', 'Mexico City', 'Americas', 'Spanish'),
  place(4, 'India', 'IN', 'Karnataka', 'Bengaluru', 'Asia'),
  place(3, 'Japan', 'JP', 'Tokyo', 'Tokyo', 'Asia', 'Japanese'),
  place(2, 'Indonesia', 'ID', 'Jakarta', 'Jakarta', 'Asia', 'Indonesian'),
  place(2, 'China', 'CN', 'Shanghai', 'Shanghai', 'Asia', 'Chinese'),
  place(2, 'Nigeria', 'NG', 'Lagos', 'Lagos', 'Africa'),
  place(2, 'South Africa', 'ZA', 'Gauteng', 'Johannesburg', 'Africa'),
  place(4, unknown, unknown, unknown, unknown, unknown, unknown),
];
