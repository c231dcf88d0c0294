import type { Weighted } from './weights.js';

/** A visitor's location. */
export interface VisitorLocation {
  country: string;
  countryId: string;
  region: string;
  city: string;
  continent: string;
  language: string;
}

const unknown = '(not set)';

function location(
  weight: number,
  country: string,
  countryId: string,
  region: string,
  city: string,
  continent = 'Europe',
  language = 'English',
): Weighted<VisitorLocation> {
  return { weight, value: { country, countryId, region, city, continent, language } };
}

/** Visitor locations: mostly in the company's markets, and some unknown. */
export const locations: readonly Weighted<VisitorLocation>[] = [
  location(15, 'Germany', 'DE', 'Berlin', 'Berlin', 'Europe', 'German'),
  location(9, 'Germany', 'DE', 'Bavaria', 'Munich', 'Europe', 'German'),
  location(7, 'Germany', 'DE', 'Hamburg', 'Hamburg', 'Europe', 'German'),
  location(6, 'Germany', 'DE', 'Hesse', 'Frankfurt', 'Europe', 'German'),
  location(3, 'Germany', 'DE', 'North Rhine-Westphalia', unknown, 'Europe', 'German'),
  location(8, 'Denmark', 'DK', 'Capital Region of Denmark', 'Copenhagen', 'Europe', 'Danish'),
  location(6, 'Sweden', 'SE', 'Stockholm County', 'Stockholm', 'Europe', 'Swedish'),
  location(5, 'Norway', 'NO', 'Oslo', 'Oslo', 'Europe', 'Norwegian'),
  location(3, 'Norway', 'NO', 'Vestland', 'Bergen', 'Europe', 'Norwegian'),
  location(5, 'Portugal', 'PT', 'Lisbon', 'Lisbon', 'Europe', 'Portuguese'),
  location(4, 'Spain', 'ES', 'Community of Madrid', 'Madrid', 'Europe', 'Spanish'),
  location(7, 'France', 'FR', 'Île-de-France', 'Paris', 'Europe', 'French'),
  location(2, 'France', 'FR', 'Auvergne-Rhône-Alpes', 'Lyon', 'Europe', 'French'),
  location(9, 'United Kingdom', 'GB', 'England', 'London'),
  location(3, 'United Kingdom', 'GB', 'Scotland', 'Edinburgh'),
  location(4, 'Ireland', 'IE', 'County Dublin', 'Dublin'),
  location(3, 'Austria', 'AT', 'Vienna', 'Vienna', 'Europe', 'German'),
  location(3, 'Czechia', 'CZ', 'Prague', 'Prague', 'Europe', 'Czech'),
  location(2, 'Türkiye', 'TR', 'Istanbul', 'Istanbul', 'Asia', 'Turkish'),
  location(8, 'United States', 'US', 'New York', 'New York', 'Americas'),
  location(5, 'United States', 'US', 'Illinois', 'Chicago', 'Americas'),
  location(5, 'United States', 'US', 'California', 'San Francisco', 'Americas'),
  location(3, 'United States', 'US', 'Virginia', 'Ashburn', 'Americas'),
  location(4, 'Canada', 'CA', 'Ontario', 'Toronto', 'Americas'),
  location(2, 'Mexico', 'MX', 'Mexico City', 'Mexico City', 'Americas', 'Spanish'),
  location(4, 'India', 'IN', 'Karnataka', 'Bengaluru', 'Asia'),
  location(3, 'Japan', 'JP', 'Tokyo', 'Tokyo', 'Asia', 'Japanese'),
  location(2, 'Indonesia', 'ID', 'Jakarta', 'Jakarta', 'Asia', 'Indonesian'),
  location(2, 'China', 'CN', 'Shanghai', 'Shanghai', 'Asia', 'Chinese'),
  location(2, 'Nigeria', 'NG', 'Lagos', 'Lagos', 'Africa'),
  location(2, 'South Africa', 'ZA', 'Gauteng', 'Johannesburg', 'Africa'),
  location(4, unknown, unknown, unknown, unknown, unknown, unknown),
];
